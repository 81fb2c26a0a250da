/** A server that goes on after others have taken over what it had in flight, because it was stopped or cut off. */
import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLedgerStore } from "../../src/accounts/money/store/ledger.js";
import { creditTransaction } from "../../src/accounts/money/ledger.js";
import { createRunStore } from "../../src/inference/run/store/runs.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createWrites } from "../../src/store/writes.js";
import type { Database } from "../../src/store/database.js";
import { systemRandom } from "../../src/system/clock.js";
import { newPostgresUrl, openBeside, openServer } from "../kit/databases/postgres/databases.js";
import { startServer, type ScriptedServer } from "../kit/server.js";
import { hello, post } from "../kit/server/requests.js";
import { seedKeys } from "../kit/server/six-keys.js";
import { gate } from "../kit/until.js";

type Started = ScriptedServer;

async function startPrepaid(opened: Promise<void>) {
  const url = await newPostgresUrl();
  const database = await openServer(url);
  await seedKeys(database);
  const beside = await openBeside(url);
  onTestFinished(() => beside.close());
  await sql`update teams set billing = 'prepaid'`.execute(beside.kysely);
  const ledger = createLedgerStore(beside);
  await ledger.post(creditTransaction("purchase", { teamId: "team-1", ticks: 1e12, note: null }, 0));
  const node = await startServer({ engine: () => ["One", opened, " two"], database, random: systemRandom });
  return { node, beside, ledger, runs: createRunStore(beside) };
}

/** Does what another server does with what the only one has in flight. */
async function takeOver(beside: Database): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from nodes`.execute(beside.kysely);
  const id = rows[0]?.id ?? 0;
  const writes = [...createRunStore(beside).interruptions(id, 1), createJobStore(beside).releaseOf(id)];
  await createWrites(beside).commit(writes);
}

it("a run that was taken over while it ran stays interrupted and free, and the books balance", async () => {
  const held = gate();
  const { node, beside, ledger, runs } = await startPrepaid(held.opened);
  const answer = post(node, { ...hello, max_tokens: 8 });
  await vi.waitUntil(async () => (await runs.list(1))[0]?.state === "running");
  await takeOver(beside);
  held.open();

  expect((await answer).status).toBe(200);
  await node.close();
  expect(await runs.list(10)).toMatchObject([{ state: "interrupted", costTicks: 0 }]);
  // Otherwise its end would be tried again and again.
  expect(node.logs.filter(({ level }) => level === "error")).toEqual([]);
  expect(await ledger.verify()).toEqual([]);
});

it("a job that was taken over while it ran is charged once, by the run that ends it", async () => {
  const held = gate();
  const { node, beside, ledger, runs } = await startPrepaid(held.opened);
  await post(node, { ...hello, max_tokens: 8, deferred: true });
  await vi.waitUntil(async () => (await runs.list(1))[0]?.state === "running");
  await takeOver(beside);
  held.open();
  await advancing(node, async () => (await runs.list(10)).some(({ state }) => state === "completed"));

  expect(await ledger.verify()).toEqual([]);
  const all = await runs.list(10);
  expect(all.filter(({ costTicks }) => costTicks > 0)).toHaveLength(1);
  expect(all.map(({ state }) => state).sort()).toEqual(["completed", "interrupted"]);
});

it("a job that another server has ended while it ran costs nothing", async () => {
  const held = gate();
  const { node, beside, ledger, runs } = await startPrepaid(held.opened);
  const sent = await post(node, { ...hello, max_tokens: 8, deferred: true });
  const { request_id: id } = (await sent.json()) as { request_id: string };
  await vi.waitUntil(async () => (await runs.list(1))[0]?.state === "running");
  // As a server does that cancels a job whose own server does not answer.
  await createWrites(beside).commit([createJobStore(beside).removal(id)]);
  held.open();
  await advancing(node, async () => (await runs.list(1))[0]?.state !== "running");

  expect(await runs.list(10)).toMatchObject([{ state: "interrupted", costTicks: 0 }]);
  expect(node.logs.filter(({ level }) => level === "error")).toEqual([]);
  expect(await ledger.verify()).toEqual([]);
});

it("a job whose end could not be written twice starts a third time on the same server", async () => {
  const gates = [gate(), gate()];
  let started = 0;
  const database = await openServer(await newPostgresUrl());
  await seedKeys(database);
  const replies = () => ["One", gates[started++]?.opened ?? Promise.resolve(), " two"];
  const node = await startServer({ engine: replies, database, random: systemRandom });
  onTestFinished(() => node.close());
  const runs = createRunStore(database);
  await post(node, { ...hello, max_tokens: 8, deferred: true });
  for (const held of gates) {
    let running: readonly string[] = [];
    await advancing(node, async () => (running = await runs.runningHere()).length > 0);
    await createWrites(database).commit(runs.interruptionsOf(running, 1));
    held.open();
    await advancing(node, async () => (await runs.runningHere()).length === 0);
  }
  await advancing(node, async () => (await runs.list(10)).some(({ state }) => state === "completed"));
  const states = (await runs.list(10)).map(({ state }) => state);
  expect(states.sort()).toEqual(["completed", "interrupted", "interrupted"]);
});

/** Lets time pass until it is so. */
async function advancing(node: Started, isSo: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(
    () => {
      node.clock.advance(1_000);
      return isSo();
    },
    { timeout: 10_000 },
  );
}
