import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { internet, type Internet } from "../../../network/servers.js";
import { startServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { createTestTeam } from "../../threats/world.js";
import { clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";

const model = "ember-1m";
const files = [
  { type: "input_file", file_url: "http://files.example/first" },
  { type: "input_file", file_url: "http://files.example/second" },
];
const input = [{ role: "user", content: files }];
const source = { type: "url", url: "http://files.example/first" };
const messages = [{ role: "user", content: [{ type: "document", source }] }];

/** A web whose answers end never, and a server that fetches from it. */
async function startWaiting() {
  const web = await internet(() => undefined, { fetches: "files" });
  const server = await startServer({ engine: () => ["Good day"], fileFetcher: web.fetcher });
  const send = (path: string, body: object, key: string = keys.ada, signal?: AbortSignal) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  return { web, server, send };
}

const whenFetching = (web: Internet) => until(() => web.requests.length === 1);

describe("files of a request", () => {
  it.each([
    ["/v1/responses", { model, input }],
    ["/v1/responses/input_tokens", { model, input }],
    ["/v1/messages", { model, max_tokens: 9, messages }],
    ["/v1/messages/count_tokens", { model, messages }],
  ])("%s: are not fetched for a key that may not use the model", async (path, body) => {
    const { web, send } = await startWaiting();
    expect((await send(path, body, keys.bob)).status).toBe(403);
    expect(web.dialled).toEqual([]);
  });

  it("are not fetched for a line of a batch whose key may no longer use the model", async () => {
    const web = await internet((_, response) => response.end("text"), { fetches: "files" });
    const held = gate();
    const engine = createScriptedEngine(() => [held.opened, "Good day"]);
    const overrides = { engine, fileFetcher: web.fetcher };
    const server = await startServer({
      accounts: "managed",
      ...overrides,
      environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
    });
    const { teamId } = await createTestTeam(server, "limited");
    const { apiKeyId, apiKey } = await server.createKey(teamId, { acls: allAcls });
    const client = clientOf({ url: server.url, apiKey });
    const line = (customId: string, of: unknown) => ({
      custom_id: customId,
      method: "POST",
      url: "/v1/responses",
      body: { model: builtInModel, input: of },
    });
    const batch = await createBatch(client, [line("first", "Hello"), line("second", input)], "/v1/responses");
    await until(() => engine.active === 1);
    const acls = ["api-key:endpoint:*", "api-key:model:other"];
    await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { acls }, fieldMask: "acls" });
    held.open();
    const [refused] = await linesOf(client, (await whenEnded(client, batch)).error_file_id);
    expect(refused).toMatchObject({ custom_id: "second", response: { status_code: 403 } });
    expect(web.dialled).toEqual([]);
  });

  it("are no longer fetched when the client has left", async () => {
    const { web, send } = await startWaiting();
    const leaving = new AbortController();
    const sent = send("/v1/responses", { model, input }, keys.ada, leaving.signal);
    await whenFetching(web);
    let isClosed = false;
    web.requests[0]?.once("close", () => (isClosed = true));
    leaving.abort();
    await expect(sent).rejects.toThrow("aborted");
    await until(() => isClosed);
    expect(web.requests).toHaveLength(1);
  });

  it("are refused when they take more than two minutes together", async () => {
    const { web, server, send } = await startWaiting();
    const sent = send("/v1/responses", { model, input });
    await whenFetching(web);
    server.clock.advance(120_000);
    const answer = await sent;
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { message: "The files of this request take more than 120 s to fetch and read." },
    });
  });
});
