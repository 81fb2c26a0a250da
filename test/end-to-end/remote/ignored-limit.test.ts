/** Engines that ignore `max_tokens`: of every kind, on every route, in every part of an answer. */
import { describe, expect, it } from "vitest";
import {
  beginStream,
  rawKinds,
  writeForever,
  type Delta,
  type RawEngine,
} from "../../kit/doubles/engines/raw.js";
import { until } from "../../kit/until.js";
import { placeOnRaw, post } from "./placed-raw.js";

const placed = placeOnRaw();
const tokensMax = 6;
const messages = [{ role: "user", content: "Hello" }];
const tools = [{ name: "add", parameters: { type: "object" } }];

/** The body of a request, and where its answer says why it ended and how many tokens it has. */
const routes = {
  "/v1/chat/completions": {
    body: { messages, max_tokens: tokensMax },
    finish: /"finish_reason":"length"/,
    tokens: /"completion_tokens":(\d+)/,
  },
  "/v1/responses": {
    body: { input: "Hello", max_output_tokens: tokensMax },
    finish: /"reason":"max_output_tokens"/,
    tokens: /"output_tokens":(\d+)/,
  },
  "/v1/messages": {
    body: { messages, max_tokens: tokensMax },
    finish: /"stop_reason":"max_tokens"/,
    tokens: /"output_tokens":(\d+)/,
  },
  "/api/chat": {
    body: { messages, options: { num_predict: tokensMax } },
    finish: /"done_reason":"length"/,
    tokens: /"eval_count":(\d+)/,
  },
} as const;
const paths = Object.keys(routes) as (keyof typeof routes)[];

function ignoresLimit(engine: RawEngine): void {
  engine.answer = (response, frames) => {
    beginStream(response);
    writeForever(response, () => frames.token());
  };
}

describe.each(rawKinds)("F23: an engine of the kind %s that ignores the limit of tokens", (kind) => {
  // Ollama's penalties are refused by the two that count them over the prompt.
  const served = ["vllm", "sglang"].includes(kind) ? paths.filter((path) => path !== "/api/chat") : paths;

  it.each(served.flatMap((path) => [false, true].map((stream) => [path, stream] as const)))(
    "is cut there, and its connection closed: %s, with stream: %s",
    async (path, stream) => {
      const app = placed.on(kind);
      ignoresLimit(app.engine);
      const { body, finish, tokens } = routes[path];
      const answer = await post(app, path, { model: app.model, stream, ...body });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.stringMatching(finish)]);
      if (!stream) expect(Number(tokens.exec(text)?.[1])).toBe(tokensMax);
      expect(new Set(text.match(/word\d+/g)).size).toBeLessThanOrEqual(tokensMax);
      await until(() => app.engine.ended === 1);
    },
  );
});

const parts: Readonly<Record<string, Delta>> = {
  text: (at) => ({ content: `word${at} ` }),
  "text without spaces": () => ({ content: "x".repeat(50) }),
  "one long word": (at) => ({ content: at === 0 ? "a ".repeat(3) : "é".repeat(1000) }),
  "a refusal": (at) => ({ refusal: `word${at} ` }),
  reasoning: (at) => ({ reasoning_content: `word${at} ` }),
  "reasoning by another name": (at) => ({ reasoning: `word${at} ` }),
  "reasoning and text": (at) => ({ reasoning: `word${at} `, content: `word${at} ` }),
  "arguments of a call": (at) => ({
    tool_calls: [
      { index: 0, function: at === 0 ? { name: "add", arguments: '{"a": "' } : { arguments: `word${at} ` } },
    ],
  }),
  calls: (at) => ({ tool_calls: [{ index: at, function: { name: "add", arguments: "{}" } }] }),
  "many calls at once": () => ({
    tool_calls: Array.from({ length: 500 }, (_, index) => ({ index, function: { name: "add" } })),
  }),
};

describe.each(Object.entries(parts))("F23: %s of a server of texts", (_, delta) => {
  it.each([false, true])("is cut where it has as many tokens as it may have, stream: %s", async (stream) => {
    const app = placed.on("openai", delta);
    ignoresLimit(app.engine);
    const answer = await post(app, "/v1/chat/completions", {
      model: app.model,
      stream,
      messages,
      max_tokens: tokensMax,
      tools: tools.map((each) => ({ type: "function", function: each })),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining('"finish_reason":"length"')]);
    // The reasoning is there under two names.
    const once = text.replaceAll(/"reasoning":"[^"]*"/g, "");
    expect(once.match(/word\d+/g)?.length ?? 0).toBeLessThanOrEqual(tokensMax);
    expect(/[xé]+/.exec(text.replaceAll(/"[a-z_]+":/g, ""))?.[0].length ?? 0).toBeLessThan(
      8 * tokensMax + 129,
    );
    if (!stream) expect(Number(/"completion_tokens":(\d+)/.exec(text)?.[1])).toBeLessThanOrEqual(tokensMax);
    await until(() => app.engine.ended > 0);
  });
});

it("F23: an answer without a limit of the request is cut at the context of the model", async () => {
  const app = placed.on("openai");
  ignoresLimit(app.engine);
  const answer = await post(app, "/v1/chat/completions", { model: app.model, messages });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.stringContaining('"finish_reason":"length"')]);
  expect(text.match(/word\d+/g)?.length).toBeLessThanOrEqual(2048);
});

it("F23: a server that keeps the limit is never cut, however its tokens are", async () => {
  const app = placed.on("openai", () => ({ content: " internationally" }));
  app.engine.answer = (response, frames) => {
    beginStream(response);
    for (let token = 0; token < tokensMax; token += 1) response.write(frames.token());
    response.end(`${frames.finish}data: [DONE]\n\n`);
  };
  const answer = await post(app, "/v1/chat/completions", {
    model: app.model,
    messages,
    max_tokens: tokensMax,
  });
  expect(await answer.json()).toMatchObject({
    choices: [{ finish_reason: "stop", message: { content: " internationally".repeat(tokensMax) } }],
  });
});
