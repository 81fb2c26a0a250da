import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { openOperator } from "../../../src/app/operator/open.js";
import { OperatorClient } from "../../../src/cli/operator.js";
import { loadConfig } from "../../../src/config/config.js";
import { createScriptedEngine, type Script } from "../../kit/scripted/engine.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { gate, until } from "../../kit/until.js";
import { fetchDeferred, waitForOutcome, createDeferred } from "../../kit/clients/deferred.js";
import { createManualClock } from "../../kit/manual-clock.js";

const hello = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
const dayMs = 24 * 60 * 60 * 1000;

/** Starts a complete server with the scripted engine and gives access to its data folder. */
async function scripted(script: Script, data: string, clock = createManualClock(Date.UTC(2026, 10, 21))) {
  const engine = createScriptedEngine(script, { contextTokens: 8192 });
  const app = await startServer({ environment: { HEARTH_DATA: data }, engine, clock });
  const database = new Database(join(data, "hearth.db"));
  onTestFinished(() => void database.close());
  const count = (table: string): number =>
    database.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()?.n ?? Number.NaN;
  return { ...app, engine, clock, database, count };
}

const folder = (): string => join(temporaryFolder(), "data");

describe("a deferred completion of the built-in model", () => {
  it("equals the answer to the same request and can be fetched once by a client that polls", async () => {
    const server = await startProcess();
    const body = { ...hello, max_tokens: 12, temperature: 0, seed: 1, deterministic: true };
    const id = await createDeferred(server, body, testKey);
    const response = await waitForOutcome(server, id, testKey);
    expect(response.status).toBe(200);
    const answer = (await response.json()) as { choices: object; usage: object };
    const direct = await clientOf(server.url).chat.completions.create({
      ...body,
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(answer.choices).toEqual(direct.choices);
    expect((await fetchDeferred(server, id, testKey)).status).toBe(404);
  });

  it("survives a server that is stopped or killed while generating it", async () => {
    const data = folder();
    const ids: string[] = [];
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const server = await startProcess({ HEARTH_DATA: data });
      for (let each = 0; each < 3; each++)
        ids.push(await createDeferred(server, { ...hello, max_tokens: 400 }, testKey));
      server.child.kill(signal);
      await server.exited;
    }
    const server = await startProcess({ HEARTH_DATA: data });
    for (const id of ids) {
      const response = await waitForOutcome(server, id, testKey);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id, object: "chat.completion" });
    }
    const database = new Database(join(data, "hearth.db"), { readonly: true });
    const completed = database.prepare("select request_id as id from runs where state = 'completed'").all();
    database.close();
    expect(completed.map((row) => (row as { id: string }).id).toSorted()).toEqual(ids.toSorted());
  });
});

describe("a server that closes", () => {
  it("returns in-flight jobs to the queue: the next server on the same folder runs them, and their attempts are not counted", async () => {
    const data = folder();
    let ids: readonly string[] = [];
    for (let life = 0; life < 4; life++) {
      const server = await scripted(() => ["Good", gate().opened], data);
      if (life === 0)
        ids = [await createDeferred(server, hello, testKey), await createDeferred(server, hello, testKey)];
      await until(() => server.engine.active === 2);
      await server.app.close();
      expect(server.count("jobs")).toBe(2);
    }
    const server = await scripted(() => ["Good day."], data);
    for (const id of ids) {
      const response = await waitForOutcome(server, id, testKey);
      expect(response.status).toBe(200);
      expect(await response.json()).toHaveProperty("choices.0.message.content", "Good day.");
    }
    expect(server.count("jobs")).toBe(0);
    const states = server.database.prepare("select state, count(*) as n from runs group by state").all();
    expect(states).toEqual([
      { state: "completed", n: 2 },
      { state: "interrupted", n: 8 },
    ]);
  });
});

describe("rows of deferred completions", () => {
  it("are deleted once they are fetched, or by the next sweep after they expire", async () => {
    const script: Script = (prompt) => [prompt.includes("fail") ? new Error("lost") : "Good day."];
    const server = await scripted(script, folder());
    const failing = { ...hello, messages: [{ role: "user", content: "fail" }] };
    await createDeferred(server, hello, testKey);
    await createDeferred(server, failing, testKey);
    await until(() => server.count("jobs") === 0);
    await waitForOutcome(server, await createDeferred(server, hello, testKey), testKey);
    expect(server.count("deferred_completions")).toBe(2);
    server.clock.jump(dayMs - 1);
    await fetch(`${server.url}/healthz`);
    expect(server.count("deferred_completions")).toBe(2);
    await until(() => {
      server.clock.jump(dayMs / 24);
      return server.count("deferred_completions") === 0;
    });
  });
});

describe("a key that has lost the permission for its deferred completion", () => {
  /** Creates another key of the team that fetches the completion. */
  async function secondKey(data: string): Promise<{ readonly id: string; readonly secret: string }> {
    const operator = await openOperator(loadConfig({ HEARTH_DATA: data }).config);
    const created = await new OperatorClient(operator).request<{ apiKeyId: string; apiKey: string }>(
      "POST",
      "/operator/api-keys",
      { name: "second" },
    );
    await operator.close();
    return { id: created.apiKeyId, secret: created.apiKey };
  }

  it.each<[string, (server: Awaited<ReturnType<typeof scripted>>, id: string) => unknown, number]>([
    ["deleted", ({ database }, id) => database.prepare("delete from api_keys where id = ?").run(id), 403],
    [
      "disabled",
      ({ database }, id) => database.prepare("update api_keys set disabled = 1 where id = ?").run(id),
      403,
    ],
    [
      "expired",
      ({ database }, id) => database.prepare("update api_keys set expire_time = 1 where id = ?").run(id),
      403,
    ],
    [
      "stripped of its right to chat",
      ({ database }, id) =>
        database.prepare(`update api_keys set acls = '["api-key:model:*"]' where id = ?`).run(id),
      403,
    ],
    [
      "stripped of its right to the model",
      ({ database }, id) =>
        database.prepare(`update api_keys set acls = '["api-key:endpoint:*"]' where id = ?`).run(id),
      403,
    ],
  ])("because it was %s has the job refused when it starts", async (_case, change, status) => {
    const data = folder();
    const wait = gate();
    const server = await scripted(() => [wait.opened, "Good day."], data);
    const asking = await secondKey(data);
    // Two occupy the engine's slots; the maximum number of other in-flight jobs waits for one.
    const busy: string[] = [];
    for (let each = 0; each < 8; each++) busy.push(await createDeferred(server, hello, testKey));
    await until(() => server.app.scheduler.load.waiting + server.app.scheduler.load.running === 8);
    const id = await createDeferred(server, hello, asking.secret);
    change(server, asking.id);
    wait.open();
    const response = await waitForOutcome(server, id, testKey);
    expect(response.status).toBe(status);
    expect((await fetchDeferred(server, id, testKey)).status).toBe(status);
    for (const each of busy) expect((await waitForOutcome(server, each, testKey)).status).toBe(200);
    expect(runsOf(server, id)).toEqual([]);
  });
});

function runsOf({ database }: { readonly database: Database.Database }, id: string): readonly unknown[] {
  return database.prepare("select * from runs where request_id = ?").all(id);
}
