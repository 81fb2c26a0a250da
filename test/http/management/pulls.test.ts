import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Puller } from "../../../src/models/hub/puller.js";
import { sha256Of, type TestHub } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { pinnedManagementKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { createPulling, ggufOf } from "../../models/hub/pulling.js";

const mebibyte = 1024 * 1024;
const bytes = ggufOf(8 * mebibyte);
const what = "acme/tiny:Q4_K_M";

interface Pull {
  readonly id: string;
  readonly state: string;
  readonly bytesDone: number | null;
  readonly modelId: string | null;
  readonly error: string | null;
}

interface PullingServer extends ManagedServer {
  readonly models: string;
  pull(model?: string): Promise<Pull>;
  find(id: string): Promise<Pull>;
  /** Resolves when the pull has the state. */
  reaches(id: string, state: string): Promise<Pull>;
}

/** A server that pulls from the hub. @param folder of an earlier server, with its database and models */
async function startPullingServer(hub: TestHub, folder = temporaryFolder()): Promise<PullingServer> {
  const models = join(folder, "models");
  const { puller } = createPulling({ HF_ENDPOINT: hub.url }, { models });
  const openPuller = (): Promise<Puller> => Promise.resolve(puller);
  mkdirSync(models, { recursive: true });
  const environment = { HEARTH_DATA: join(folder, "data"), HEARTH_MODELS: models };
  const server = await startServer({ accounts: "managed", openPuller, environment });
  const find = async (id: string): Promise<Pull> =>
    (await server.request("GET", `/admin/models/pulls/${id}`)).body as Pull;
  return {
    ...server,
    models,
    find,
    pull: async (model = what) =>
      (await server.request("POST", "/admin/models/pull", { model })).body as Pull,
    async reaches(id, state) {
      let pull = await find(id);
      while (pull.state !== state) {
        if (pull.error !== null) throw new Error(pull.error);
        pull = await find(id);
      }
      return pull;
    },
  };
}

const startTestHub = (): Promise<TestHub> => startHub({ "tiny-Q4_K_M.gguf": bytes });

describe("POST /admin/models/pull", () => {
  it("answers at once, and the model answers by what was asked when the pull is done", async () => {
    const server = await startPullingServer(await startTestHub());
    const { status, body } = await server.request("POST", "/admin/models/pull", { model: what });
    expect([status, body]).toMatchObject([200, { object: "model_pull", model: what, endTime: null }]);
    const done = await server.reaches((body as Pull).id, "done");
    expect(done.modelId).toBe("tiny-q4_k_m");
    const chat = { model: what, messages: [{ role: "user", content: "Hello" }] };
    expect(await server.request("POST", "/v1/chat/completions", chat, server.apiKey)).toMatchObject({
      status: 200,
      body: { model: what },
    });
    const list = await server.request("GET", "/admin/models/pulls");
    expect(list.body).toMatchObject({ data: [{ id: done.id, state: "done" }] });
  });

  it("streams its progress, and goes on when the client leaves", async () => {
    const hub = await startTestHub();
    hub.behaviour.bytesPerSecond = 4 * mebibyte;
    const server = await startPullingServer(hub);
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/admin/models/pull`, {
      method: "POST",
      headers: { authorization: `Bearer ${pinnedManagementKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: what, stream: true }),
      signal: leaving.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const body: ReadableStream<Uint8Array> = response.body ?? expect.fail("no body");
    const { value } = await body.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^data: \{.*"state":"(queued|running)"/);
    leaving.abort();
    const { data } = (await server.request("GET", "/admin/models/pulls")).body as { data: readonly Pull[] };
    hub.behaviour.bytesPerSecond = 0;
    await server.reaches(data[0]?.id ?? "", "done");
  });

  it("joins a pull of the same model that has not ended", async () => {
    const hub = await startTestHub();
    hub.behaviour.bytesPerSecond = mebibyte;
    const server = await startPullingServer(hub);
    const [first, second] = await Promise.all([server.pull(), server.pull()]);
    expect(second.id).toBe(first.id);
    hub.behaviour.bytesPerSecond = 0;
    await server.reaches(first.id, "done");
    expect((await server.pull()).id).not.toBe(first.id);
  });

  it("ends with the reason when there is no such model", async () => {
    const server = await startPullingServer(await startTestHub());
    const { id } = await server.pull("nobody/nothing");
    await until(() => server.app.models.list().length > 0);
    await expect(server.reaches(id, "done")).rejects.toThrow(/nobody\/nothing/);
    expect(await server.find(id)).toMatchObject({ state: "failed", modelId: null });
  });

  it("is in the audit log, and is refused to a key that may only read", async () => {
    const server = await startPullingServer(await startTestHub());
    const { id } = await server.pull();
    const page = { teamId: null, after: null, from: null, to: null, limit: 1 };
    const [event] = await server.stores.audit.page({ ...page, order: "descending" });
    expect(event).toMatchObject({ action: "PullModel", objectId: id, after: { what } });
    const reader = await server.createManagementKey({ acls: ["team-token:endpoint:ListModels"] });
    const refused = await server.request("POST", "/admin/models/pull", { model: what }, reader);
    expect(refused.status).toBe(403);
  });
});

describe("a pull of the server", () => {
  it("stops when it is cancelled, and a later one goes on from there", async () => {
    const hub = await startTestHub();
    hub.behaviour.bytesPerSecond = 4 * mebibyte;
    const server = await startPullingServer(hub);
    const { id } = await server.pull();
    await until(() => hub.sent.bytes > mebibyte);
    const cancelled = await server.request("DELETE", `/admin/models/pulls/${id}`);
    expect(cancelled.body).toMatchObject({ state: "cancelled", error: null });
    expect((await server.request("DELETE", `/admin/models/pulls/${id}`)).body).toEqual(cancelled.body);
    hub.behaviour.bytesPerSecond = 0;
    const before = hub.sent.bytes;
    const again = await server.pull();
    await server.reaches(again.id, "done");
    expect(hub.sent.bytes - before).toBeLessThan(bytes.length);
  });

  it("goes on after a restart, under the same id", async () => {
    const hub = await startTestHub();
    hub.behaviour.bytesPerSecond = 4 * mebibyte;
    const folder = temporaryFolder();
    const first = await startPullingServer(hub, folder);
    const { id } = await first.pull();
    await until(() => hub.sent.bytes > mebibyte);
    await first.app.close();
    hub.behaviour.bytesPerSecond = 0;
    const second = await startPullingServer(hub, folder);
    await second.reaches(id, "done");
    const file = join(second.models, "acme/tiny/tiny-Q4_K_M.gguf");
    expect(sha256Of(readFileSync(file))).toBe(sha256Of(bytes));
  });

  it("that does not exist is not found", async () => {
    const server = await startPullingServer(await startTestHub());
    expect((await server.request("GET", "/admin/models/pulls/none")).status).toBe(404);
    expect((await server.request("DELETE", "/admin/models/pulls/none")).status).toBe(404);
  });
});
