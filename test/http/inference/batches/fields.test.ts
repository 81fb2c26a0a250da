import { expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { createRunLabelStore } from "../../../../src/inference/run/store/run-labels.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { chatLine, clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";

const hello = { model: builtInModel, input: "Hello" };
const responseLine = (customId: string, more: object): object => ({
  custom_id: customId,
  method: "POST",
  url: "/v1/responses",
  body: { ...hello, ...more },
});

async function served(env: Readonly<Record<string, string>> = {}) {
  const engine = createScriptedEngine(() => ["Good", " day."]);
  const server = await startServer({ accounts: "managed", engine, environment: env });
  return { server, client: clientOf(server) };
}

it("a chat completion with store: true is stored with its metadata when its line is answered, and not otherwise", async () => {
  const { client } = await served();
  const stored = { store: true, metadata: { topic: "greetings" } };
  const bad = { ...stored, temperature: 9 };
  const lines = [chatLine("a", "Hello", stored), chatLine("b", "Hello"), chatLine("c", "Hello", bad)];
  const batch = await whenEnded(client, await createBatch(client, lines));
  const [answer] = await linesOf(client, batch.output_file_id);
  const { data } = await client.chat.completions.list();
  expect(data).toEqual([{ ...answer?.response?.body, metadata: { topic: "greetings" } }]);
  const messages = await client.chat.completions.messages.list(data[0]?.id ?? "");
  expect(messages.data).toMatchObject([{ role: "user", content: "Hello" }]);
});

it("a line that cannot be stored fails at once, and the other lines go on", async () => {
  const { client } = await served({ HEARTH_CHAT_COMPLETIONS_MAX: "0" });
  const lines = [chatLine("a", "Hello", { store: true }), chatLine("b", "Hello")];
  const batch = await whenEnded(client, await createBatch(client, lines));
  expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
  const [failed] = await linesOf(client, batch.error_file_id);
  expect(failed?.response).toMatchObject({ status_code: 503, body: { error: { code: "storage_full" } } });
});

it.each([
  ["conversation", { conversation: "conv_a" }],
  ["generate", { generate: false }],
  ["background", { background: true }],
])("a line of /v1/responses with %s is refused by the name of the field", async (param, more) => {
  const { client } = await served();
  const created = await createBatch(client, [responseLine("a", more)], "/v1/responses");
  const batch = await whenEnded(client, created);
  const [failed] = await linesOf(client, batch.error_file_id);
  expect(failed?.response).toMatchObject({ status_code: 400, body: { error: { param } } });
});

it("what a request says of itself is stored with the run of its line", async () => {
  const { server, client } = await served();
  const labels = { user: "ada", metadata: { project: "atlas" } };
  await whenEnded(client, await createBatch(client, [chatLine("a", "Hello", labels)]));
  const [run] = await server.app.runs.list(1);
  expect(JSON.parse((await createRunLabelStore(server.database).find(run?.id ?? "")) ?? "null")).toEqual(
    labels,
  );
});

it("what was not applied of a request stands beside its answer, as the route says it in x-hearth-warning", async () => {
  const { server, client } = await served();
  const tools = [{ type: "web_search" }, { type: "custom", name: "echo" }];
  const init = { method: "POST", body: JSON.stringify({ ...hello, tools }) };
  const headers = { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" };
  const route = await fetch(`${server.url}/v1/responses`, { ...init, headers });
  const warning = route.headers.get("x-hearth-warning");
  expect(warning).toContain("web_search");
  const lines = [responseLine("a", { tools }), responseLine("b", {})];
  const batch = await whenEnded(client, await createBatch(client, lines, "/v1/responses"));
  const [warned, plain] = await linesOf(client, batch.output_file_id);
  expect(warned).toHaveProperty("hearth_warnings", [warning]);
  expect(plain).not.toHaveProperty("hearth_warnings");
});

it("a tool that the server executes is left out of a line with a warning, and an error of the line that demands it", async () => {
  const { server, client } = await served();
  const tools = [{ type: "image_generation" }];
  const input = "Draw a fox";
  const route = await server.request("POST", "/v1/responses", { ...hello, tools }, server.apiKey);
  expect(route.body).toMatchObject({ tools });
  const lines = [
    responseLine("a", { input, tools }),
    responseLine("b", { input, tools, tool_choice: { type: "image_generation" } }),
    responseLine("c", { input, tools, tool_choice: "required" }),
  ];
  const batch = await whenEnded(client, await createBatch(client, lines, "/v1/responses"));
  const [answered] = await linesOf(client, batch.output_file_id);
  expect(answered).toMatchObject({
    custom_id: "a",
    response: { status_code: 200, body: { status: "completed", tools: [] } },
    hearth_warnings: [expect.stringContaining("'image_generation'")],
  });
  const errors = await linesOf(client, batch.error_file_id);
  expect(
    errors.map((line) => [line.custom_id, line.response?.status_code, line.response?.body.error]),
  ).toEqual([
    ["b", 400, expect.objectContaining({ param: "tool_choice" })],
    ["c", 400, expect.objectContaining({ param: "tools.0.type" })],
  ]);
  expect((await server.app.runs.list(9)).map(({ model }) => model)).toEqual([builtInModel, builtInModel]);
});
