import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../../src/core/generation.js";
import { startServer, type ScriptedServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

type Send = (path: string, body: object) => Promise<Readonly<Record<string, unknown>>>;

interface Dialect {
  readonly name: string;
  /** The type of a part of a text. */
  readonly part: string;
  /** Asks for an answer after a call with these arguments, or without them, and its result. */
  readonly ask: (send: Send, given: object, result: object) => Promise<unknown>;
}

const user = { role: "user", content: "Hello" };
const chat = (messages: readonly object[]) => ({ model: "ember-1m", messages: [user, ...messages] });
const items = (given: object, result: object) => [
  { type: "message", ...user },
  { type: "function_call", call_id: "c", name: "f", ...given },
  { type: "function_call_output", call_id: "c", ...result },
];
const renamed = (fields: object, name: string): object =>
  Object.fromEntries(Object.values(fields).map((value) => [name, value as unknown]));

const dialects: readonly Dialect[] = [
  {
    name: "chat completions",
    part: "text",
    ask: (send, given, result) =>
      send(
        "/v1/chat/completions",
        chat([
          {
            role: "assistant",
            tool_calls: [{ id: "c", type: "function", function: { name: "f", ...given } }],
          },
          { role: "tool", tool_call_id: "c", ...renamed(result, "content") },
        ]),
      ),
  },
  {
    name: "chat completions with functions",
    part: "text",
    ask: (send, given, result) =>
      send(
        "/v1/chat/completions",
        chat([
          { role: "assistant", function_call: { name: "f", ...given } },
          { role: "function", name: "f", ...renamed(result, "content") },
        ]),
      ),
  },
  {
    name: "messages",
    part: "text",
    ask: (send, given, result) =>
      send("/v1/messages", {
        max_tokens: 9,
        ...chat([
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "c", name: "f", ...renamed(given, "input") }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "c", ...renamed(result, "content") }],
          },
        ]),
      }),
  },
  {
    name: "responses",
    part: "input_text",
    ask: (send, given, result) => send("/v1/responses", { model: "ember-1m", input: items(given, result) }),
  },
  {
    name: "conversations",
    part: "input_text",
    async ask(send, given, result) {
      const { id } = await send("/v1/conversations", { items: items(given, result) });
      return send("/v1/responses", { model: "ember-1m", conversation: id, input: "Go on." });
    },
  },
  {
    name: "Ollama's chat",
    part: "text",
    ask: (send, given, result) =>
      send("/api/chat", {
        stream: false,
        ...chat([
          { role: "assistant", tool_calls: [{ function: { name: "f", ...given } }] },
          { role: "tool", tool_name: "f", ...renamed(result, "content") },
        ]),
      }),
  },
];

const argumentForms: readonly (readonly [given: object, text: string])[] = [
  [{ arguments: '{"a":1}' }, '{"a":1}'],
  [{ arguments: { a: 1 } }, '{"a":1}'],
  [{ arguments: null }, "{}"],
  [{}, "{}"],
  [{ arguments: "" }, ""],
  [{ arguments: '{"a' }, '{"a'],
];
const resultForms = (part: string): readonly (readonly [given: object, text: string])[] => [
  [{ output: "Rain" }, "Rain"],
  [{ output: null }, ""],
  [{}, ""],
  [{ output: { sky: "clear" } }, '{"sky":"clear"}'],
  [{ output: [1, 2] }, "[1,2]"],
  [{ output: 7 }, "7"],
  [{ output: [{ type: part, text: "Rain" }] }, "Rain"],
  [{ output: { type: part, text: "Rain" } }, "Rain"],
];

function sender({ url }: ScriptedServer): Send {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    expect([response.status, answer]).toEqual([200, answer]);
    return answer;
  };
}

/** Asks once, and returns the messages that the model was given. */
async function readMessages(server: ScriptedServer, ask: (send: Send) => Promise<unknown>) {
  const prompt = vi.spyOn(server.engine, "prompt");
  await ask(sender(server));
  const source = prompt.mock.calls.at(-1)?.[1];
  prompt.mockRestore();
  if (source === undefined || !("messages" in source)) throw new Error("no conversation");
  return source.messages;
}

function callOf(messages: readonly Message[]): string | undefined {
  return messages.flatMap(({ toolCalls = [] }) => toolCalls)[0]?.arguments;
}

describe.each(dialects)("a history of $name", ({ ask, part }) => {
  it("has arguments of calls as text or object, or none, and the model reads the same", async () => {
    const server = await startServer({ engine: () => ["Good."] });
    for (const [given, text] of argumentForms) {
      const messages = await readMessages(server, (send) => ask(send, given, { output: "Rain" }));
      expect([given, callOf(messages)]).toEqual([given, text]);
    }
  });

  it("has results of calls as text, parts or JSON, or none, and the model reads the same", async () => {
    const server = await startServer({ engine: () => ["Good."] });
    for (const [given, text] of resultForms(part)) {
      const messages = await readMessages(server, (send) => ask(send, { arguments: "{}" }, given));
      expect([given, messages.find(({ role }) => role === "tool")?.content]).toEqual([given, text]);
    }
  });
});

it("a conversation lists calls and results in the form of its own API", async () => {
  const server = await startServer({ engine: () => ["Good."] });
  const { id } = await sender(server)("/v1/conversations", {
    items: items({ arguments: { a: 1 } }, { output: null }),
  });
  const response = await fetch(`${server.url}/v1/conversations/${String(id)}/items?order=asc`, {
    headers: headersOf(keys.ada),
  });
  const { data } = (await response.json()) as { data: readonly object[] };
  expect(data.slice(1)).toMatchObject([{ arguments: '{"a":1}' }, { output: "" }]);
});
