import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { calling } from "../../../kit/scripted/calling.js";
import { startServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { drawing } from "./drawing.js";

describe("a tool whose arguments would not be an object", () => {
  const string = { type: "string" };
  const referring = { $ref: "#/$defs/s", $defs: { s: string } };
  const chat = (parameters: object) => ({
    ...hello,
    tools: [{ type: "function", function: { name: "set", parameters } }],
  });
  const older = (parameters: object) => ({ ...hello, functions: [{ name: "set", parameters }] });
  const responses = (parameters: object) => ({
    model: hello.model,
    input: "Hello",
    tools: [{ type: "function", name: "set", parameters }],
  });
  const messages = (input_schema: object) => ({
    ...hello,
    max_tokens: 9,
    tools: [{ name: "set", input_schema }],
  });

  it.each([
    ["chat/completions", "tools.0.function.parameters", chat],
    ["chat/completions", "functions.0.parameters", older],
    ["responses", "tools.0.parameters", responses],
    ["messages", "tools.0.input_schema", messages],
  ] as const)("is a client error of %s that names the tool and %s", async (route, param, bodyOf) => {
    const server = await drawing([]);
    for (const schema of [string, { type: "array" }, { type: ["null", "string"] }, referring]) {
      const response = await server.send(route, bodyOf(schema));
      const { error } = (await response.json()) as { error: { message: string; param?: string } };
      expect([response.status, error.message]).toEqual([400, expect.stringContaining("'set'")]);
      expect(error.param ?? error.message).toContain(param);
    }
    expect(server.engine.jobs).toEqual([]);
    const nullable = await server.send(route, bodyOf({ type: ["object", "null"] }));
    expect(nullable.status).toBe(200);
  });
});

describe("tool_choice none", () => {
  const call = '<tool_call>\n{"name": "set", "arguments": {"a": 1}}\n</tool_call>';
  const parameters = { type: "object", properties: { a: { type: "integer" } } };
  const toolOf = { name: "set", parameters };
  const chat = { ...hello, tools: [{ type: "function", function: toolOf }], tool_choice: "none" };
  const responses = {
    model: hello.model,
    input: "Hello",
    tools: [{ type: "function", ...toolOf }],
    tool_choice: "none",
  };
  const messages = {
    ...hello,
    max_tokens: 500,
    tools: [{ name: "set", input_schema: parameters }],
    tool_choice: { type: "none" },
  };

  it.each([
    ["chat/completions", chat],
    ["responses", responses],
    ["messages", messages],
  ] as const)(
    "of %s leaves calls out of the answer, whole, broken or cut, streamed or not",
    async (route, body) => {
      const texts = [`Yes. ${call}`, `Yes. ${call.replace("set", "other")}`, `Yes. ${call.slice(0, 50)}`];
      const server = await drawing(texts.flatMap((text) => [text, text]));
      for (const text of texts)
        for (const stream of [false, true]) {
          const answer = await (await server.send(route, { ...body, stream })).text();
          expect(textIn(answer, stream).trim(), text).toBe("Yes.");
          expect(answer).not.toMatch(/"tool_use"|"function_call"|"tool_calls":\[/);
        }
    },
  );
});

/** Returns the text of an answer of any of the routes. */
function textIn(answer: string, streamed: boolean): string {
  const parts = streamed ? [...answer.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => data) : [answer];
  return parts
    .flatMap((data) => {
      const fields = JSON.parse(data) as AnyAnswer;
      const [choice] = fields.choices ?? [];
      const { delta } = fields;
      return [
        choice?.message?.content,
        choice?.delta?.content,
        typeof delta === "string" ? delta : delta?.text,
        ...(fields.output ?? []).flatMap(({ content }) => content.map((part) => part.text)),
        ...(fields.content ?? []).map((part) => part.text),
      ];
    })
    .join("");
}

interface AnyAnswer {
  readonly choices?: readonly {
    readonly message?: { content?: string };
    readonly delta?: { content?: string };
  }[];
  readonly output?: readonly { readonly content: readonly { readonly text: string }[] }[];
  readonly content?: readonly { readonly text: string }[];
  readonly delta?: string | { readonly text?: string };
}

it("streams the arguments of a call in pieces with tool_stream, and as a whole without it", async () => {
  const server = await startServer({ engine: () => calling("set", { a: 1 }) });
  const client = server.client.withOptions({ apiKey: keys.ada });
  const parameters = { type: "object", properties: { a: { type: "integer" } } };
  const chunksOf = async (more: object): Promise<readonly ChatCompletionChunk.Choice.Delta.ToolCall[]> => {
    const stream = await client.chat.completions.create({
      model: hello.model,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "function", function: { name: "set", parameters } }],
      stream: true,
      ...more,
    });
    const pieces: ChatCompletionChunk.Choice.Delta.ToolCall[] = [];
    for await (const { choices } of stream) pieces.push(...(choices[0]?.delta.tool_calls ?? []));
    return pieces;
  };
  const [whole, ...none] = await chunksOf({});
  expect([whole?.function, none]).toEqual([{ name: "set", arguments: '{"a":1}' }, []]);
  const [first, ...pieces] = await chunksOf({ tool_stream: true });
  expect(first).toMatchObject({ index: 0, type: "function", function: { name: "set", arguments: "" } });
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.map((piece) => piece.function?.arguments).join("")).toBe('{"a":1}');
});
