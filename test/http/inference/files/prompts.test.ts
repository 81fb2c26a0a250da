import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { eventually, gate } from "../../../kit/until.js";
import { connect } from "../websocket/client.js";
import { createTestTeam } from "../../threats/world.js";
import { chatLine, clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";
import { upload } from "../../../kit/clients/uploads.js";

const model = builtInModel;
const content = {
  "/v1/chat/completions": (id: string) => ({
    messages: [{ role: "user", content: [{ type: "file", file: { file_id: id } }] }],
  }),
  "/v1/responses": (id: string) => ({
    input: [{ role: "user", content: [{ type: "input_file", file_id: id }] }],
  }),
  "/v1/messages": (id: string) => ({
    max_tokens: 16,
    messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: id } }] }],
  }),
};

/** Says what the prompt has of the uploaded file. */
const textOf = (prompt: string) => [
  /notes\.txt\nThe code is \d+/.exec(prompt)?.[0].replace(/\s+/g, "-") ?? "nothing",
];

const shared = fileServer({ accounts: "managed", engine: textOf });

describe.each(Object.entries(content))("an uploaded text file in %s", (path, fields) => {
  it("stands in the prompt with its name", async () => {
    const server = shared();
    const { body } = await upload(server.url, server.apiKey, "The code is 4711");
    const answer = await server.request("POST", path, { model, ...fields(body.id) }, server.apiKey);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).toContain("notes.txt-The-code-is-4711");
  });

  it("of another team does not exist, and a key without the ACL does not read it", async () => {
    const server = shared();
    const other = await createTestTeam(server, `theirs, for ${path}`);
    const { body } = await upload(server.url, other.apiKey, "The code is 4711");
    const request = { model, ...fields(body.id) };
    expect((await server.request("POST", path, request, server.apiKey)).status).toBe(404);
    const acls = ["api-key:endpoint:chat", "api-key:model:*"];
    const { apiKey } = await server.createKey(other.teamId, { acls });
    expect((await server.request("POST", path, request, apiKey)).status).toBe(403);
  });
});

it("an uploaded text file of 32 MiB and a byte is refused by the name of the field", async () => {
  const server = shared();
  const { body } = await upload(server.url, server.apiKey, "x".repeat(32 * 1024 * 1024 + 1));
  const request = { model, ...content["/v1/chat/completions"](body.id) };
  expect(await server.request("POST", "/v1/chat/completions", request, server.apiKey)).toMatchObject({
    status: 400,
    body: { error: { param: "messages.0.content.0.file.file_id" } },
  });
});

it("an uploaded text file is read for a line of a batch, too", async () => {
  const server = shared();
  const client = clientOf(server);
  const { body } = await upload(server.url, server.apiKey, "The code is 4711");
  const line = chatLine("a", "", content["/v1/chat/completions"](body.id));
  const batch = await whenEnded(client, await createBatch(client, [line]));
  expect(JSON.stringify(await linesOf(client, batch.output_file_id))).toContain("notes.txt-The-code-is-4711");
});

it("an uploaded text file is read in a conversation's items, also after the file was deleted", async () => {
  const server = shared();
  const { body: file } = await upload(server.url, server.apiKey, "The code is 4711");
  const items = content["/v1/responses"](file.id).input;
  const send = (path: string, body: object) => server.request("POST", path, body, server.apiKey);
  const { body: made } = await send("/v1/conversations", { items });
  const { id: conversation } = made as { readonly id: string };
  expect((await send(`/v1/conversations/${conversation}/items`, { items })).status).toBe(200);
  expect((await server.request("DELETE", `/v1/files/${file.id}`, undefined, server.apiKey)).status).toBe(200);
  const answer = await send("/v1/responses", { model, conversation, input: "Hello" });
  expect(JSON.stringify(answer.body)).toContain("notes.txt-The-code-is-4711");
});

it("an uploaded text file is read in a background response, also after the file was deleted", async () => {
  const held = gate();
  const engine = createScriptedEngine((prompt) => [held.opened, ...textOf(prompt)]);
  const server = await startServer({
    accounts: "managed",
    engine,
    environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
  });
  const { body: file } = await upload(server.url, server.apiKey, "The code is 4711");
  const send = async (fields: object) => {
    const answer = await server.request("POST", "/v1/responses", { model, ...fields }, server.apiKey);
    expect(answer.status).toBe(200);
    return (answer.body as { readonly id: string }).id;
  };
  await send({ background: true, input: "Hello" });
  await eventually(() => expect(engine.active).toBe(1));
  const id = await send({ background: true, ...content["/v1/responses"](file.id) });
  expect((await server.request("DELETE", `/v1/files/${file.id}`, undefined, server.apiKey)).status).toBe(200);
  held.open();
  const ended = await eventually(async () => {
    const answer = await server.request("GET", `/v1/responses/${id}`, undefined, server.apiKey);
    expect(answer.body).toMatchObject({ status: "completed" });
    return answer.body;
  });
  expect(JSON.stringify(ended)).toContain("notes.txt-The-code-is-4711");
});

it("an uploaded text file is read in a deferred completion, also after the file was deleted", async () => {
  const held = gate();
  const engine = createScriptedEngine((prompt, { rules }) => {
    const text = textOf(prompt);
    const isExact = [...rules.rules.values()].join("").includes("9007199254740993");
    return [held.opened, ...(isExact && !text.includes("nothing") ? ['{"a":9007199254740993}'] : text)];
  });
  const server = await startServer({
    accounts: "managed",
    engine,
    environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
  });
  const { body: file } = await upload(server.url, server.apiKey, "The code is 4711");
  const defer = async (fields: object) => {
    const body = JSON.stringify({ model, deferred: true, ...fields }).replace('"EXACT"', "9007199254740993");
    const headers = headersOf(server.apiKey);
    const answer = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { readonly request_id: string }).request_id;
  };
  await defer({ messages: [{ role: "user", content: "Hello" }] });
  await eventually(() => expect(engine.active).toBe(1));
  const fields = content["/v1/chat/completions"](file.id);
  const id = await defer(fields);
  const schema = { type: "object", properties: { a: { const: "EXACT" } }, required: ["a"] };
  const format = { type: "json_schema", json_schema: { name: "exact", strict: true, schema } };
  const exact = await defer({ ...fields, response_format: format });
  expect((await server.request("DELETE", `/v1/files/${file.id}`, undefined, server.apiKey)).status).toBe(200);
  held.open();
  for (const [each, expected] of [
    [id, "notes.txt-The-code-is-4711"],
    [exact, "9007199254740993"],
  ] as const) {
    const path = `/v1/chat/deferred-completion/${each}`;
    const body = await eventually(async () => {
      const answer = await server.request("GET", path, undefined, server.apiKey);
      expect(answer.status).toBe(200);
      return answer.body;
    });
    expect(JSON.stringify(body)).toContain(expected);
  }
});

it("a text file is read in a turn of a WebSocket, in the request or uploaded", async () => {
  const server = await startServer({ engine: (prompt) => [prompt] });
  const { body: file } = await upload(server.url, keys.ada, "The code is 4711");
  const client = await connect(server.url);
  const uploaded = await client.respond({ ...content["/v1/responses"](file.id), store: false });
  expect(JSON.stringify(uploaded.output)).toContain("The code is 4711");
  const data = Buffer.from("The word is cobalt").toString("base64");
  const part = { type: "input_file", filename: "a.txt", file_data: data };
  const inline = await client.respond({
    input: [{ role: "user", content: [part] }],
    previous_response_id: uploaded.id,
    store: false,
  });
  expect(JSON.stringify(inline.output)).toMatch(/The code is 4711.*The word is cobalt/);
});
