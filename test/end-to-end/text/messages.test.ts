import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { type TestServer, deterministicFileServer, fileServer, startServer } from "../../kit/server.js";
import { makeDeterministic } from "../../kit/server/built-in.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";

const shared = fileServer();
const deterministic = deterministicFileServer();

/** The type of the newest client has no temperature, but the client sends it. */
type Params = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };
type Turn = Anthropic.MessageParam;

const greeting: readonly Turn[] = [{ role: "user", content: "Hello!" }];
const story: readonly Turn[] = [{ role: "user", content: "Tell me a long story." }];
const weather: Anthropic.Tool = {
  name: "get_weather",
  description: "Get the weather of a city.",
  input_schema: {
    type: "object",
    properties: { city: { enum: ["Bern", "Rome"] }, days: { type: "integer", minimum: 1, maximum: 3 } },
    required: ["city", "days"],
    additionalProperties: false,
  },
};

function clientOf({ url }: TestServer, apiKey: string = testKey): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
}

/** Returns a request with additional fields. */
function params(fields: Partial<Params> = {}): Params {
  return { model: builtInModel, max_tokens: 256, temperature: 0, messages: [...greeting], ...fields };
}

function textOf({ content }: Pick<Anthropic.Message, "content">): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

/** Requests the answer as JSON and as a stream. */
async function bothWays(fields: Partial<Params> = {}) {
  const app = deterministic();
  const whole = await clientOf(app).messages.create(params(fields));
  const stream = clientOf(app).messages.stream(params(fields));
  const types: string[] = [];
  stream.on("streamEvent", (event) => void types.push(event.type));
  return { whole, streamed: await stream.finalMessage(), types };
}

/** Returns a message without its id and the ids of its tool calls, which differ in every answer. */
function withoutIds({ content, stop_reason, stop_sequence, usage }: Anthropic.Message) {
  const blocks = content.map((block) => (block.type === "tool_use" ? { ...block, id: "" } : block));
  return { blocks, stop_reason, stop_sequence, usage };
}

describe("the official Anthropic client and the built-in model", () => {
  it("get the same answer and usage streamed and as JSON", async () => {
    const { whole, streamed, types } = await bothWays();
    expect(textOf(whole).trim()).not.toBe("");
    expect([whole.model, whole.stop_reason]).toEqual([builtInModel, "end_turn"]);
    expect(withoutIds(streamed)).toEqual(withoutIds(whole));
    expect([types[0], types[1], types.at(-2), types.at(-1)]).toEqual([
      "message_start",
      "content_block_start",
      "message_delta",
      "message_stop",
    ]);
  });

  it("get the same answer as with the chat endpoint", async () => {
    const app = deterministic();
    const chat = await app.client.chat.completions.create({
      model: builtInModel,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello!" },
      ],
      temperature: 0,
      reasoning_effort: "none",
    });
    const message = await clientOf(app).messages.create(
      params({ system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] }),
    );
    expect(textOf(message)).toBe(chat.choices[0]?.message.content);
    expect(message.usage.output_tokens).toBe(chat.usage?.completion_tokens);
  });

  it("return thinking if requested and accept it in the next turn", async () => {
    const app = shared();
    const thinking = { type: "enabled", budget_tokens: 1024 } as const;
    const { whole, streamed } = await bothWays({ max_tokens: 1500, thinking });
    const [thought, said] = whole.content;
    expect(thought).toMatchObject({ type: "thinking", signature: expect.stringMatching(/.+/) as string });
    expect(said?.type).toBe("text");
    expect(withoutIds(streamed)).toEqual(withoutIds(whole));
    const quiet = await clientOf(app).messages.create(params({ thinking: { type: "disabled" } }));
    expect(quiet.content.map((block) => block.type)).toEqual(["text"]);
    const next = await clientOf(app).messages.create(
      params({
        messages: [...greeting, { role: "assistant", content: whole.content }, ...story],
        max_tokens: 8,
      }),
    );
    expect(textOf(next)).not.toBe("");
  });

  it("call a required tool with arguments of its schema and continue with its result", async () => {
    const app = shared();
    const fields = { tools: [weather], tool_choice: { type: "tool", name: "get_weather" } } as const;
    const { whole, streamed } = await bothWays({ ...fields, tools: [weather] });
    expect(withoutIds(streamed)).toEqual(withoutIds(whole));
    const call = whole.content.find((block) => block.type === "tool_use");
    expect(whole.stop_reason).toBe("tool_use");
    expect(call?.id).toMatch(/^toolu_[0-9a-f]+$/);
    expect(call?.input).toEqual({
      city: expect.stringMatching(/^(Bern|Rome)$/) as string,
      days: expect.toSatisfy((days) => [1, 2, 3].includes(days as number)) as number,
    });
    const result = { type: "tool_result", tool_use_id: call?.id ?? "", content: "Rain." } as const;
    const after = await clientOf(app).messages.create(
      params({
        tools: [weather],
        messages: [
          ...greeting,
          { role: "assistant", content: whole.content },
          { role: "user", content: [result] },
        ],
        max_tokens: 8,
      }),
    );
    expect(after.usage.output_tokens).toBeGreaterThan(0);
  });

  it("make the answer follow a schema", async () => {
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const { whole } = await bothWays({
      output_config: { format: { type: "json_schema", schema } },
    });
    expect(JSON.parse(textOf(whole))).toEqual({ ok: expect.any(Boolean) as boolean });
  });

  it("continue a prefilled answer", async () => {
    const app = shared();
    const messages: Turn[] = [{ role: "user", content: "Count from 1 to 10." }];
    const prefill: Turn = { role: "assistant", content: "1 2 3 4" };
    const message = await clientOf(app).messages.create(params({ messages: [...messages, prefill] }));
    expect(textOf(message)).toBe(" 5 6 7 8 9 10");
    const { input_tokens: open } = await clientOf(app).messages.countTokens({
      model: builtInModel,
      messages: [...messages, prefill],
    });
    const { input_tokens: bare } = await clientOf(app).messages.countTokens({
      model: builtInModel,
      messages,
    });
    expect(open).toBeGreaterThan(bare);
  });

  it("count the tokens of a prompt with tools, calls, results and thinking as its answer does", async () => {
    const app = await startServer();
    const messages: Turn[] = [
      ...greeting,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Look it up.", signature: "" },
          { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Bern", days: 1 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain." }] },
    ];
    const request = { model: builtInModel, messages, tools: [weather], system: "Be brief." };
    const { input_tokens } = await clientOf(app).messages.countTokens(request);
    for (const round of ["cold", "warm"]) {
      const { usage } = await clientOf(app).messages.create({ ...request, max_tokens: 1 });
      expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(input_tokens);
      expect((usage.cache_read_input_tokens ?? 0) > 0).toBe(round === "warm");
    }
    const empty = await clientOf(app).messages.countTokens({ model: builtInModel, messages: [...greeting] });
    expect(empty.input_tokens).toBeLessThan(input_tokens);
  });

  it("report why an answer ended: by a stop sequence, by the requested limit, or by the end of the context", async () => {
    const app = await startServer({ environment: { HEARTH_CONTEXT_TOKENS_MAX: "64" } });
    makeDeterministic(app);
    const ask = (fields: Partial<Params>) =>
      clientOf(app).messages.create(params({ messages: [...story], ...fields }));
    const full = await ask({ max_tokens: 1000 });
    expect(full.stop_reason).toBe("model_context_window_exceeded");
    const short = await ask({ max_tokens: 7 });
    expect([short.stop_reason, short.usage.output_tokens]).toEqual(["max_tokens", 7]);
    const stop = textOf(full).slice(20, 27);
    const stopped = await ask({ stop_sequences: ["never", stop] });
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(["stop_sequence", stop]);
    expect(textOf(stopped)).toBe(textOf(full).slice(0, textOf(full).indexOf(stop)));
  });

  it("abort in mid-stream: the slot is free and the generated tokens are in the usage table", async () => {
    const app = shared();
    const stream = clientOf(app).messages.stream(params({ messages: [...story], max_tokens: 2000 }));
    let pieces = 0;
    stream.on("text", () => {
      pieces += 1;
      if (pieces === 5) stream.abort();
    });
    await expect(stream.done()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    await until(() => app.app.liveRuns.size === 0);
    expect(app.app.scheduler.load).toEqual({ running: 0, waiting: 0 });
    const [run] = await app.app.runs.list(1);
    expect(run?.state).toBe("aborted");
    expect(run?.usage.completionTokens).toBeGreaterThanOrEqual(5);
  });
});

describe("an error that the official Anthropic client raises", () => {
  it.each<[string, Partial<Params>, string, new (...args: never) => Error, RegExp]>([
    [
      "NotFoundError for a model that does not exist",
      { model: "claude" },
      testKey,
      Anthropic.NotFoundError,
      /claude/,
    ],
    ["AuthenticationError for a wrong key", {}, "hk-no-key", Anthropic.AuthenticationError, /key/],
    [
      "BadRequestError for an invalid value",
      { temperature: 3 },
      testKey,
      Anthropic.BadRequestError,
      /temperature: /,
    ],
    [
      "BadRequestError for a prompt that is too long",
      { messages: [{ role: "user", content: "word ".repeat(9000) }] },
      testKey,
      Anthropic.BadRequestError,
      /prompt is too long: \d+ tokens > 8191 maximum\. /,
    ],
  ])("is %s, streamed or not", async (_case, fields, key, kind, message) => {
    const app = shared();
    for (const stream of [true, false]) {
      const request = clientOf(app, key).messages.create({ ...params(fields), stream });
      const error: unknown = await request.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(kind);
      expect((error as Error).message).toMatch(message);
    }
  });
});
