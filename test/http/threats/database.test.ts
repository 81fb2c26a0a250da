import Sqlite from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { now } from "../../kit/server/management.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { openLedger } from "../../kit/ledger.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { reasonsNotReady } from "./readiness.js";
import {
  credentialOf,
  keyRoutes,
  createObject,
  createTestTeam,
  pathWith,
  takesBody,
  type TestTeam,
} from "./world.js";

/** Starts a server and returns its database connection, so that the test can damage the database. */
async function startDamageableServer(environment: NodeJS.ProcessEnv = {}) {
  const data = join(temporaryFolder(), "data");
  const database = await openDatabase(join(data, "hearth.db"));
  const server = await startServer({
    accounts: "managed",
    database,
    environment: { HEARTH_DATA: data, ...environment },
  });
  const pragma = async (text: string): Promise<unknown> => {
    const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${text}`).execute(database.kysely);
    return Object.values(rows[0] ?? {})[0];
  };
  return { server, data, database, pragma };
}

/** Requests that are sent while the database fails, with their outcomes. */
async function allRequests(server: ManagedServer, side: TestTeam) {
  const sent: {
    readonly path: string;
    readonly status: number;
    readonly retryAfter: string | null;
    readonly text: string;
  }[] = [];
  for (const route of keyRoutes) {
    // The objects in the paths exist.
    const path = await pathWith(route, (param) => known.get(param) ?? "x");
    const body =
      route.method === "GET" || (route.method === "DELETE" && !takesBody(route))
        ? undefined
        : JSON.stringify(route.docs.example ?? {});
    const response = await fetch(server.url + path, {
      method: route.method,
      headers: {
        authorization: `Bearer ${credentialOf(route, side) ?? ""}`,
        "content-type": "application/json",
      },
      body,
    });
    const { status, headers } = response;
    sent.push({
      path: `${route.method} ${route.path}`,
      status,
      retryAfter: headers.get("retry-after"),
      text: await response.text(),
    });
  }
  return sent;
}
const known = new Map<string, string>();

/** Creates an object for every parameter of every path. */
async function makeAll(server: ManagedServer, side: TestTeam): Promise<void> {
  for (const { path } of keyRoutes)
    for (const [, param = ""] of path.matchAll(/:(\w+)/g))
      known.set(param, await createObject(server, side, param));
}

/** Checks that each route succeeded, or reported with retry-after that the database cannot be written. */
async function expectClearErrors(server: ManagedServer, side: TestTeam): Promise<void> {
  const all = await allRequests(server, side);
  const failed = all.filter(({ status }) => status >= 500);
  expect(failed.length).toBeGreaterThan(5);
  for (const { path, status, retryAfter, text } of failed) {
    expect([path, [503, 529].includes(status), Number(retryAfter) > 0]).toEqual([path, true, true]);
    expect(text).toContain("The server cannot write to its database. Please try again later.");
  }
  expect(all.filter(({ path, status }) => path === "GET /v1/models" && status !== 200)).toEqual([]);
}

/** Checks that every route works again, and that rejected requests left nothing. */
async function expectRecovered(server: ManagedServer, side: TestTeam): Promise<void> {
  server.clock.advance(1000);
  expect(await reasonsNotReady(server)).toEqual([]);
  await until(() => server.app.liveRuns.size === 0);
  expect(server.app.scheduler.load).toMatchObject({ waiting: 0, running: 0 });
  const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
  expect((await server.request("POST", "/v1/chat/completions", chat, side.apiKey)).status).toBe(200);
  await makeAll(server, side);
  const { ledger, audit, keys, teams } = server.stores;
  expect(await ledger.verify()).toEqual([]);
  // Each action with status 200 and its event are stored; rejected actions and their events are not.
  const events = await audit.page({
    teamId: null,
    order: "ascending",
    after: null,
    from: null,
    to: null,
    limit: 10_000,
  });
  const madeIds = new Set(
    events
      .filter(({ action }) => action === "CreateApiKey" || action === "CreateTeam")
      .map(({ objectId }) => objectId),
  );
  for (const { id } of [...(await teams.list()), ...(await keys.list(side.teamId))]) {
    const byStart = id === (await teams.list())[0]?.id;
    expect(byStart || madeIds.has(id)).toBe(true);
  }
}

describe("F11, F16: a database that cannot be written causes 503 with retry-after and a /readyz that says why, loses nothing, and recovers:", () => {
  it("locked by another process, until that is killed", async () => {
    const { server, data, pragma } = await startDamageableServer();
    const side = await createTestTeam(server, "ours");
    await makeAll(server, side);
    const holder = spawn(
      process.execPath,
      ["--input-type=commonjs", "--eval", holding, join(data, "hearth.db")],
      { cwd: root },
    );
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    const command = runProgram(["teams", "create", "x"], { HEARTH_DATA: data });
    // The wait of a write for the other process is not tested here.
    await pragma("busy_timeout = 1");
    await expectClearErrors(server, side);
    expect(await reasonsNotReady(server)).toEqual([
      "writes to the database fail: another program has locked it (SQLITE_BUSY)",
    ]);
    expect(await command.exited).toBe(1);
    expect(command.stderr()).toMatch(/^hearth: .*(another program has locked it|cannot write).*\n$/);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await expectRecovered(server, side);
  });

  it("on a full disk", async () => {
    const { server, pragma } = await startDamageableServer();
    const side = await createTestTeam(server, "ours");
    await makeAll(server, side);
    await pragma(`max_page_count = ${String(await pragma("page_count"))}`);
    // Partially used pages still accept a few rows.
    for (let made = 200; made === 200;)
      made = (await server.request("POST", "/auth/teams", { name: "x".repeat(100) })).status;
    const body = { model: builtInModel, input: "Hello ".repeat(2000) };
    for (let stored = 200; stored === 200;)
      stored = (await server.request("POST", "/v1/responses", body, side.apiKey)).status;
    const refused = await server.request("POST", "/auth/teams", { name: "x".repeat(100) });
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 14, message: expect.stringContaining("cannot write") as string },
    });
    expect(await reasonsNotReady(server)).toEqual([
      "writes to the database fail: the disk is full (SQLITE_FULL)",
    ]);
    const all = await allRequests(server, side);
    expect(all.filter(({ status }) => status >= 500 && status !== 503 && status !== 529)).toEqual([]);
    await pragma("max_page_count = 1073741823");
    await expectRecovered(server, side);
  });

  it("read-only", async () => {
    const { server, pragma } = await startDamageableServer();
    const side = await createTestTeam(server, "ours");
    await makeAll(server, side);
    await pragma("query_only = 1");
    // Nobody writes: only a probe can find out.
    server.clock.advance(5000);
    expect(await reasonsNotReady(server)).toEqual([
      expect.stringMatching(/^writes to the database fail: it cannot be written: .* \(SQLITE_READONLY\)$/),
    ]);
    await expectClearErrors(server, side);
    await pragma("query_only = 0");
    await expectRecovered(server, side);
  });

  it("while ends of runs cannot be written, at most the limit of runs begin, and each is charged once afterwards", async () => {
    const data = join(temporaryFolder(), "data");
    const database: Database = await openDatabase(join(data, "hearth.db"));
    const clock = createManualClock(now);
    const ends: (() => void)[] = [];
    const engine = createScriptedEngine(() => ["Good", new Promise<void>((end) => ends.push(end)), " day."], {
      slots: 8,
    });
    const server = await startServer({
      accounts: "managed",
      database,
      engine,
      clock,
      environment: { HEARTH_DATA: data, HEARTH_RUNS_ACTIVE_MAX: "3" },
    });
    const books = await openLedger(data, "prepaid");
    await books.buy(10_000_000_000);
    const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }], max_tokens: 8 };
    const begin = () => server.request("POST", "/v1/chat/completions", chat, server.apiKey);
    const answering = [begin(), begin(), begin()];
    await until(() => ends.length === 3);
    await sql`pragma query_only = 1`.execute(database.kysely);
    for (const end of ends) end();
    expect((await Promise.all(answering)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (let sent = 0; sent < 50; sent += 1) expect((await begin()).status).toBe(503);
    expect(server.app.liveRuns.size).toBe(3);
    for (let retries = 0; retries < 5; retries += 1) clock.advance(1000);
    expect(server.app.liveRuns.size).toBe(3);
    await sql`pragma query_only = 0`.execute(database.kysely);
    clock.advance(1000);
    await until(() => {
      clock.advance(1000);
      return server.app.liveRuns.size === 0;
    });
    const runs = await books.runs.list(99);
    expect(runs.map(({ state }) => state)).toEqual(["completed", "completed", "completed"]);
    const cost = runs.reduce((sum, { costTicks }) => sum + costTicks, 0);
    expect(await books.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(cost) });
    expect(await books.ledger.verify()).toEqual([]);
  });
});

/** Takes the write lock and holds it. */
const holding = `
  const database = new (require("better-sqlite3"))(process.argv[1], { timeout: 5000 });
  database.exec("begin immediate");
  process.stdout.write("held");
  setInterval(() => undefined, 1000);
`;

describe("F11: a start on an unusable database ends with one sentence that gives the reason:", () => {
  it.each([
    [
      "something else",
      (file: string) => writeFileSync(file, "no database at all ".repeat(500)),
      /it is not a SQLite database/,
    ],
    ["cut off", (file: string) => truncateSync(file, 8192), /it is damaged|disk image is malformed/],
    [
      "written by a newer version",
      (file: string) => change(file, "pragma user_version = 9000"),
      /a newer version of Hearth/,
    ],
  ])("%s", async (_, spoil, words) => {
    const data = join(temporaryFolder(), "data");
    const file = join(data, "hearth.db");
    await (await openDatabase(file)).close();
    spoil(file);
    const run = runProgram(["start"], { HEARTH_DATA: data, HEARTH_PORT: "0" });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(words);
    expect(run.stderr().trimEnd().split("\n")).toHaveLength(1);
    expect(run.stdout()).toBe("");
  });

  it("and works again when the file is restored", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await startProcess({ HEARTH_DATA: data });
    first.child.kill("SIGTERM");
    await first.exited;
    change(join(data, "hearth.db"), `vacuum into '${join(data, "backup.db")}'`);
    truncateSync(join(data, "hearth.db"), 5000);
    expect(await runProgram(["start"], { HEARTH_DATA: data, HEARTH_PORT: "0" }).exited).toBe(1);
    copyFileSync(join(data, "backup.db"), join(data, "hearth.db"));
    const again = await startProcess({ HEARTH_DATA: data });
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  });
});

function change(file: string, statement: string): void {
  const database = new Sqlite(file);
  database.exec(statement);
  database.close();
}
