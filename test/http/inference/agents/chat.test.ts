/** Requests of the shape that agents over chat completions send, and tools with a text as input, over HTTP. */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { keys } from "../../../kit/server/six-keys.js";
import { calling } from "../../../kit/scripted/calling.js";
import { startServer } from "../../../kit/server.js";
import { framesOf, send } from "./requests.js";

const path = "/v1/chat/completions";
const input = 'one\n"two" \u{1f600}';
const tools = [
  { type: "function", function: { name: "bash", parameters: { type: "object" } } },
  {
    type: "custom",
    custom: {
      name: "note",
      description: "Keeps a note.",
      format: { type: "grammar", grammar: { syntax: "regex", definition: "one\\n.*" } },
    },
  },
];
const request = {
  model: "ember-1m",
  messages: [{ role: "user", content: "Note it." }],
  tools,
  tool_choice: "auto",
};

interface Frame {
  readonly choices: readonly { readonly delta: { readonly tool_calls?: readonly object[] } }[];
}

describe("a custom tool of chat completions", () => {
  it("is called with its text, streamed or not", async () => {
    const app = await startServer({ engine: () => calling("note", { input }), contextTokens: 4096 });
    const call = { id: "call_1", type: "custom", custom: { name: "note", input } };
    const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
    const answer = await client.chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Note it." }],
      tools: [{ type: "custom", custom: { name: "note" } }],
    });
    expect(answer.choices[0]?.message.tool_calls).toEqual([call]);
    const frames = await framesOf<Frame>(await send(app, path, { ...request, stream: true }));
    const calls = frames.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls).toEqual([{ index: 0, ...call }]);
  });

  it("may be the only one that must be called", async () => {
    const app = await startServer({ engine: () => calling("note", { input }), contextTokens: 4096 });
    const choice = { type: "custom", custom: { name: "note" } };
    expect((await send(app, path, { ...request, tool_choice: choice })).status).toBe(200);
    expect(app.engine.jobs[0]?.toolChoice).toMatchObject({ mode: "required", names: ["note"] });
  });

  it("may have been called earlier in the conversation", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const messages = [
      ...request.messages,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "custom", custom: { name: "note", input } }],
      },
      { role: "tool", tool_call_id: "c1", content: "noted" },
    ];
    expect((await send(app, path, { ...request, messages })).status).toBe(200);
    expect(app.prompts[0]).toContain("tool: noted");
  });

  it("does not pass on a text that its grammar forbids", async () => {
    const app = await startServer({ engine: () => calling("note", { input: "two" }), contextTokens: 4096 });
    const response = await send(app, path, request);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("'note'")]);
  });
});

describe("the requests of agents over chat completions", () => {
  it.each([
    ["with titles and no tools", { tools: undefined, tool_choice: undefined, max_tokens: 800 }],
    ["with parts, and limits", { messages: [{ role: "user", content: [{ type: "text", text: "Hi." }] }] }],
    [
      "with xAI's search turned off",
      { search_parameters: { mode: "off" }, temperature: 0.7, max_tokens: 1536 },
    ],
  ])("are answered: %s", async (_, change) => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const stream = { stream: true, stream_options: { include_usage: true } };
    const frames = await framesOf(await send(app, path, { ...request, ...stream, ...change }));
    expect(frames.at(-1)).toMatchObject({ usage: { completion_tokens: 1 } });
  });
});
