/** Events of engines that no reader may believe or be ended by: of every kind, as far as a kind has them. */
import { describe, expect, it } from "vitest";
import {
  beginStream,
  event,
  rawKinds,
  writeForever,
  type RawEngine,
  type RawKind,
} from "../../kit/doubles/engines/raw.js";
import { until } from "../../kit/until.js";
import { placeOnRaw, post, type PlacedOnRaw } from "./placed-raw.js";

const placed = placeOnRaw();
const tokensMax = 6;
const unknownId = 900_000_000;
const tokenKinds = ["vllm", "sglang", "llama-server"] as const;
type TokenKind = (typeof tokenKinds)[number];

async function ask(
  app: PlacedOnRaw,
  more: object = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const messages = [{ role: "user", content: "Hello" }];
  const body = { model: app.model, max_tokens: tokensMax, messages, ...more };
  const answer = await post(app, "/v1/chat/completions", body);
  return { status: answer.status, text: await answer.text() };
}

/** Returns the prompt of the last request. */
function promptOf({ asked }: RawEngine): readonly number[] {
  const { prompt, input_ids: ids } = asked.at(-1) ?? {};
  return (prompt ?? ids ?? []) as readonly number[];
}

/** Returns an event with tokens, and with an alternative of each where one is given. */
function tokensEvent(kind: TokenKind, engine: RawEngine, ids: readonly number[], other?: number): string {
  const prompt = promptOf(engine);
  const logprobs = other === undefined ? undefined : alternatives[kind](ids, other);
  if (kind === "vllm") return event({ choices: [{ prompt_token_ids: prompt, token_ids: ids, logprobs }] });
  if (kind === "llama-server") return event({ tokens: ids, completion_probabilities: logprobs });
  const counts = { prompt_tokens: prompt.length, completion_tokens: ids.length };
  return event({ output_ids: ids, meta_info: { ...counts, ...(logprobs as object | undefined) } });
}

const alternatives: Readonly<Record<TokenKind, (ids: readonly number[], other: number) => unknown>> = {
  vllm: (ids, other) => ({
    tokens: ids.map((id) => `token_id:${id}`),
    token_logprobs: ids.map(() => -1),
    top_logprobs: ids.map(() => ({ [`token_id:${other}`]: -0.5 })),
  }),
  sglang: (ids, other) => ({
    output_token_logprobs: ids.map((id) => [-1, id, null]),
    output_top_logprobs: ids.map(() => [[-0.5, other, null]]),
  }),
  "llama-server": (ids, other) =>
    ids.map((id) => ({ id, logprob: -1, top_logprobs: [{ id: other, logprob: -0.5 }] })),
};

const unavailable = (reason: RegExp) => ({ status: 503, text: expect.stringMatching(reason) as string });

describe.each(rawKinds)("F23: an engine of the kind %s", (kind: RawKind) => {
  it("whose error is nested deeply fails as an engine does", async () => {
    const app = placed.on(kind);
    app.engine.answer = (response) => {
      beginStream(response);
      response.end(`data: {"error":{"message":${"[".repeat(100_000)}${"]".repeat(100_000)}}}\n\n`);
    };
    expect(await ask(app)).toEqual(unavailable(/its answer is an error/));
  });
});

describe.each(rawKinds)("F23: an engine of the kind %s", (kind) => {
  it("whose answer is a page ends no thread and no model in it", async () => {
    const app = placed.on(kind);
    const loadedAt = (): readonly number[] => app.app.engine.residents().map((each) => each.loadedAt);
    app.engine.answer = (response, frames) => {
      beginStream(response);
      response.end(frames.token() + frames.finish);
    };
    expect((await ask(app)).status).toBe(200);
    const before = loadedAt();
    expect(before.length).toBeGreaterThan(0);
    app.engine.answer = (response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("Welcome");
    };
    for (let at = 0; at < 5; at += 1) expect(await ask(app)).toEqual(unavailable(/is no stream of events/));
    expect(loadedAt()).toEqual(before);
  });
});

describe.each(tokenKinds)("F23: an engine of the kind %s", (kind) => {
  it("that sends hundreds of thousands of tokens at once is cut at the limit", async () => {
    const app = placed.on(kind);
    const [id = 0] = placed.vocabulary.ids;
    app.engine.answer = (response) => {
      beginStream(response);
      response.write(tokensEvent(kind, app.engine, new Array<number>(500_000).fill(id)));
    };
    const { status, text } = await ask(app);
    expect([status, text]).toEqual([200, expect.stringContaining('"finish_reason":"length"')]);
    expect(Number(/"completion_tokens":(\d+)/.exec(text)?.[1])).toBe(tokensMax);
    await until(() => app.engine.ended > 0);
  });
});

describe.each(tokenKinds)("F31: an engine of the kind %s", (kind) => {
  it("fails where an alternative of a token is not in the vocabulary", async () => {
    const app = placed.on(kind);
    app.engine.answer = (response) => {
      beginStream(response);
      response.end(tokensEvent(kind, app.engine, placed.vocabulary.ids.slice(0, 1), unknownId));
    };
    const answer = await ask(app, { logprobs: true, top_logprobs: 2 });
    expect(answer).toEqual(unavailable(/token 900000000 is not in the vocabulary/));
  });
});

it("F23: a llama-server that evaluates more of a prompt than it has is not waited for", async () => {
  const app = placed.on("llama-server");
  let processed = 0;
  app.engine.answer = (response) => {
    beginStream(response);
    writeForever(response, () => {
      processed += 1;
      return event({ prompt_progress: { cache: 0, processed }, more: "x".repeat(4_000) });
    });
  };
  expect(await ask(app)).toEqual(unavailable(/without a part of the answer/));
  await until(() => app.engine.ended === 1);
});
