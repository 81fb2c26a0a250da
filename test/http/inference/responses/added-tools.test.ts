import { describe, expect, it } from "vitest";
import { createScriptedEngine, type Script, type ScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { connect } from "../websocket/client.js";
import { clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";
import { openaiClient } from "../../../kit/clients/conversations.js";
import { createResponsesClient, toolCallSteps } from "../../../kit/clients/responses.js";

const model = "ember-1m";
const search = {
  type: "tool_search",
  execution: "client",
  parameters: { type: "object", properties: { query: { type: "string" } } },
} as const;
const parameters = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };
const calendar = { type: "function", name: "calendar", defer_loading: true, strict: false, parameters };
const tools = [search, calendar];
const found = [
  { type: "tool_search_call", call_id: "c1", execution: "client", arguments: { query: "dates" } },
  { type: "tool_search_output", call_id: "c1", status: "completed", execution: "client", tools: [calendar] },
];
const more = { type: "additional_tools", tools: [{ ...calendar, name: "clock" }] };
const useCalendar = { type: "function", name: "calendar" } as const;

/** Calls the last tool that it has been given besides the search, or says that there is none. */
const script: Script = (_prompt, job) => {
  const name = job.tools.at(-1)?.name;
  return name === undefined || name === "tool_search"
    ? ["No tool."]
    : toolCallSteps("call_1", name, '{"day":"Monday"}');
};

const shared = fileServer({ engine: script, contextTokens: 4096 });

/** Returns the names of the tools that the model was last given. */
const offeredBy =
  ({ jobs }: ScriptedEngine) =>
  (): readonly string[] =>
    (jobs.at(-1)?.tools ?? []).map(({ name }) => name);

async function start() {
  const server = shared();
  return { server, offered: offeredBy(server.engine), client: createResponsesClient(server.url) };
}

describe("a tool that an item of an earlier request has added", () => {
  it("is offered in the responses that continue it, however many are between", async () => {
    const { client, offered } = await start();
    const first = await client.create({ input: [{ role: "user", content: "When?" }, ...found, more], tools });
    expect(offered()).toEqual(["tool_search", "calendar", "clock"]);
    const results = [{ type: "function_call_output", call_id: "call_1", output: "free" }];
    const second = await client.create({ input: results, tools, previous_response_id: first.id });
    const third = await client.create({ input: results, tools, previous_response_id: second.id });
    expect(offered()).toEqual(["tool_search", "calendar", "clock"]);
    expect(third.output[0]).toMatchObject({ type: "function_call", name: "clock" });
    await client.create({ input: "When?", tools });
    expect(offered()).toEqual(["tool_search"]);
  });

  it("can be demanded by tool_choice, which may name no other tool", async () => {
    const { client, offered } = await start();
    const first = await client.create({
      input: [{ role: "user", content: "When?" }, ...found],
      tools: [search],
    });
    const input = [{ type: "function_call_output", call_id: "call_1", output: "free" }];
    const next = { model, input, previous_response_id: first.id };
    const answer = await client.create({ ...next, tool_choice: useCalendar });
    expect(offered()).toEqual(["calendar"]);
    expect(answer).toMatchObject({ tools: [], output: [{ type: "function_call", name: "calendar" }] });
    const refused = { status: 400, body: { error: { param: "tool_choice" } } };
    const other = { ...next, tool_choice: { type: "function", name: "clock" } };
    for (const path of ["", "/input_tokens"])
      expect(await client.send("POST", path, other)).toMatchObject(refused);
    expect(await client.send("POST", "", { ...other, background: true })).toMatchObject(refused);
    const without = { model, input: "When?", tool_choice: useCalendar };
    expect(await client.send("POST", "", without)).toMatchObject(refused);
  });

  it("has the form of its calls: those of a namespace's tools have the namespace", async () => {
    const { client } = await start();
    const namespace = { type: "namespace", name: "office", description: "Office.", tools: [calendar] };
    const output = { ...found[1], tools: [namespace] };
    const first = await client.create({ input: [found[0], output], tools: [search], tool_choice: "none" });
    const second = await client.create({ input: "When?", previous_response_id: first.id });
    expect(second.output[0]).toMatchObject({ type: "function_call", name: "calendar", namespace: "office" });
  });

  it("is offered in a conversation, to which its items can be added without a response", async () => {
    const { server, client, offered } = await start();
    const { id } = await openaiClient(server.url).conversations.create();
    const added = await fetch(`${server.url}/v1/conversations/${id}/items`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" },
      body: JSON.stringify({ items: found }),
    });
    expect(added.status).toBe(200);
    const { output } = await client.create({ input: "When?", conversation: id, tool_choice: useCalendar });
    expect(offered()).toEqual(["calendar"]);
    expect(output[0]).toMatchObject({ type: "function_call", name: "calendar" });
  });

  it("that is no tool is refused when its item is added to a conversation, by the name of the field", async () => {
    const { server } = await start();
    const { id } = await openaiClient(server.url).conversations.create();
    for (const [tool, param] of [
      [{ name: "calendar" }, "items.1.tools.0"],
      [{ ...calendar, parameters: { type: "string" } }, "items.1.tools.0.parameters"],
    ]) {
      const items = [found[0], { ...found[1], tools: [tool] }];
      for (const path of ["", `/${id}/items`]) {
        const answer = await fetch(`${server.url}/v1/conversations${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" },
          body: JSON.stringify({ items }),
        });
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
      }
    }
  });

  it("is offered to a response in the background, and to one that names its item by reference", async () => {
    const { client, offered } = await start();
    const first = await client.create({ input: found, tools: [search] });
    const input = [{ type: "function_call_output", call_id: "call_1", output: "free" }];
    const next = { input, previous_response_id: first.id, tool_choice: useCalendar };
    const { id } = await client.create({ ...next, background: true });
    const answer = await client.findAs(id, "completed");
    expect(answer.output[0]).toMatchObject({ type: "function_call", name: "calendar" });
    const { data } = await client.inputItems(first.id);
    const references = data.map((item) => ({ type: "item_reference", id: item.id }));
    await client.create({ input: references, tool_choice: useCalendar });
    expect(offered()).toEqual(["calendar"]);
  });

  it("is offered to a line of a batch", async () => {
    const engine = createScriptedEngine(script, { contextTokens: 4096 });
    const offered = offeredBy(engine);
    const server = await startServer({ accounts: "managed", engine });
    const client = createResponsesClient(server.url, server.apiKey, builtInModel);
    const first = await client.create({ input: found, tools: [search] });
    const openai = clientOf(server);
    const body = {
      model: builtInModel,
      input: "When?",
      previous_response_id: first.id,
      tool_choice: useCalendar,
    };
    const line = { custom_id: "a", method: "POST", url: "/v1/responses", body };
    const batch = await whenEnded(openai, await createBatch(openai, [line], "/v1/responses"));
    expect(offered()).toEqual(["calendar"]);
    const [answer] = await linesOf(openai, batch.output_file_id);
    expect(answer?.response?.body).toMatchObject({ output: [{ type: "function_call", name: "calendar" }] });
  });

  it("is offered in the next turn of a WebSocket, whether its response is stored or not", async () => {
    const { server } = await start();
    for (const store of [true, false]) {
      const client = await connect(server.url);
      const first = await client.respond({ input: found, tools: [search], tool_choice: "none", store });
      const next = { input: "When?", previous_response_id: first.id, tool_choice: useCalendar, store };
      const { output } = await client.respond(next);
      expect(output[0]).toMatchObject({ type: "function_call", name: "calendar" });
    }
  });
});
