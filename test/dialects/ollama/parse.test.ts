import { describe, expect, it } from "vitest";
import { parseOllamaChat } from "../../../src/dialects/ollama/chat/parse.js";
import { parseKeepAlive } from "../../../src/dialects/ollama/fields.js";
import { parseOllamaGenerate } from "../../../src/dialects/ollama/generate/parse.js";

const hello = { role: "user", content: "Hello" };

const parse = (body: object, text: string | null = null) => {
  const { request } = parseOllamaChat({ model: "m", messages: [hello], ...body }, text);
  if (request === null) throw new Error("there is nothing to answer");
  return request;
};

describe("keep_alive", () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ["", undefined],
    [0, 0],
    ["0", 0],
    [300, 300_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    ["100ms", 100],
    [-1, 2_678_400_000],
    ["-1", 2_678_400_000],
    ["-1m", 2_678_400_000],
    ["9999999h", 2_678_400_000],
  ])("%j is %s ms", (text, ms) => {
    expect(parseKeepAlive(text)).toBe(ms);
  });

  it.each(["soon", "5 m", "5x", "m", "-", "5m soon"])("refuses '%s'", (text) => {
    expect(() => parseKeepAlive(text)).toThrow(/^keep_alive: must be seconds/);
  });
});

describe("a chat request", () => {
  it("has messages with images before the text, as base64 or as a data URL", () => {
    const { messages } = parse({
      messages: [{ ...hello, images: ["iVBORw0KGgo=", "data:image/jpeg;base64,/9j/"] }],
    });
    expect(messages).toEqual([
      {
        role: "user",
        content: "Hello",
        images: [
          { at: 0, url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto", param: "messages.0.images.0" },
          { at: 0, url: "data:image/jpeg;base64,/9j/", detail: "auto", param: "messages.0.images.1" },
        ],
      },
    ]);
  });

  it("gives each result to the call of its tool that has none yet, where neither has an id", () => {
    const call = (name: string) => ({ function: { name, arguments: { city: name } } });
    const { messages } = parse({
      messages: [
        hello,
        { role: "assistant", content: "", thinking: "Hm.", tool_calls: [call("a"), call("b"), call("a")] },
        { role: "tool", tool_name: "b", content: "2" },
        { role: "tool", tool_name: "a", content: "1" },
        { role: "tool", content: "3" },
        { role: "tool", content: "4", tool_call_id: "mine" },
      ],
    });
    const [, answer, ...results] = messages;
    expect(answer).toMatchObject({ reasoning: "Hm.", toolCalls: [{ arguments: '{"city":"a"}' }, {}, {}] });
    const ids = (answer?.toolCalls ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(results.map(({ toolCallId, name }) => [toolCallId, name])).toEqual([
      [ids[1], "b"],
      [ids[0], "a"],
      [ids[2], undefined],
      ["mine", undefined],
    ]);
  });

  it("keeps numbers of arguments and schemas that a double does not", () => {
    const schema = { type: "object", properties: { n: { const: 1 } } };
    const text = `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"n":9007199254740993}}}]},{"role":"user","content":"x"}],"format":{"type":"object","properties":{"n":{"const":9007199254740993}}}}`;
    const body = JSON.parse(text) as object;
    const { messages, format } = parse({ ...body, format: schema }, text);
    expect(messages[0]?.toolCalls?.[0]?.arguments).toBe('{"n":9007199254740993}');
    expect(format).toMatchObject({ schemaText: expect.stringContaining("9007199254740993") as string });
  });

  it.each([
    [undefined, { type: "text" }],
    ["", { type: "text" }],
    ["json", { type: "json-object" }],
    [{ type: "object" }, { type: "json-schema", schema: { type: "object" } }],
  ])("with the format %j has the format %j", (format, expected) => {
    expect(parse({ format }).format).toEqual(expected);
  });

  it("refuses two tools of one name, and a tool whose arguments are no object", () => {
    const tool = (parameters: object) => ({ type: "function", function: { name: "f", parameters } });
    expect(() => parse({ tools: [tool({}), tool({})] })).toThrow("tools: must not name 'f' twice");
    expect(() => parse({ tools: [tool({ type: "string" })] })).toThrow(/^tools\.0\.function\.parameters: /);
  });

  it.each([
    [undefined, "default"],
    [true, "medium"],
    [false, "none"],
    ["high", "high"],
  ] as const)("with think %j reasons with the effort %s", (think, effort) => {
    expect(parse({ think }).reasoningEffort).toBe(effort);
  });
});

describe("a request for a text", () => {
  it("interprets control tokens in a raw prompt only", () => {
    const raw = (body: object) => parseOllamaGenerate({ model: "m", prompt: "a", ...body }).request?.raw;
    expect(raw({ raw: true })?.prompts[0]?.readsControlTokens).toBe(true);
    expect(raw({ suffix: "b" })?.prompts[0]?.readsControlTokens).toBe(false);
    expect(raw({})).toBeUndefined();
  });

  it("without a prompt asks for nothing", () => {
    expect(parseOllamaGenerate({ model: "m", keep_alive: 0 })).toEqual({
      request: null,
      model: "m",
      stream: true,
      keepAliveMs: 0,
    });
  });
});
