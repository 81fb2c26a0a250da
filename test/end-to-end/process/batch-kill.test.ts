import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { openDatabase } from "../../../src/store/database.js";
import {
  chatLine,
  clientOf,
  createBatch,
  linesOf,
  whenEnded,
  type Client,
} from "../../kit/clients/batches.js";
import { temporaryFolder } from "../../kit/folder.js";
import { seeded } from "../../kit/models/gguf-writer/weights.js";
import { testKey } from "../../kit/server/settings.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { startKilled, type Killed } from "./start-killed.js";

const rounds = casesOf(80);
/** Enough for some tens of lines. */
const stepsMax = 600;
const batchLines = 60;

/** Lets the server work until it dies; creates a batch where none is left to be answered. */
async function goOn({ url, isDead }: Killed): Promise<void> {
  if (url === null) return;
  const client = clientOf({ url, apiKey: testKey });
  const lines = Array.from({ length: batchLines }, (_, at) => chatLine(`line-${at}`, `question-${at}`));
  while (!isDead())
    try {
      const { data } = await client.batches.list();
      if (data.every(({ completed_at: end }) => end != null)) await createBatch(client, lines);
    } catch {
      // The server died over it.
    }
}

/** Checks that each line of a batch has one result, and that each answer was charged once. */
async function check(
  client: Client,
  batchId: string,
  database: Database.Database,
): Promise<{ answers: number; interrupted: number }> {
  const batch = await whenEnded(client, { id: batchId });
  expect(batch).toMatchObject({ status: "completed", request_counts: { total: batchLines } });
  const [answers, failures] = [
    await linesOf(client, batch.output_file_id),
    await linesOf(client, batch.error_file_id),
  ];
  const ids = [...answers, ...failures].map((line) => line.custom_id);
  expect(ids.toSorted()).toEqual(Array.from({ length: batchLines }, (_, at) => `line-${at}`).toSorted());
  expect(batch.request_counts).toMatchObject({ completed: answers.length, failed: failures.length });
  const runsOf = database.prepare<[string], { state: string }>("select state from runs where request_id = ?");
  let interrupted = 0;
  for (const line of answers) {
    const states = runsOf.all(line.id).map(({ state }) => state);
    expect(line.response?.body.choices?.[0]?.message?.content).toBe(
      `You said question-${line.custom_id.slice(5)}.`,
    );
    expect(states.filter((state) => state === "completed")).toHaveLength(1);
    expect(new Set(states.filter((state) => state !== "completed" && state !== "interrupted"))).toEqual(
      new Set(),
    );
    interrupted += states.length - 1;
  }
  for (const line of failures) {
    expect(JSON.stringify(line)).toContain("The server stopped 3 times");
    expect(runsOf.all(line.id).filter(({ state }) => state === "completed")).toEqual([]);
  }
  return { answers: answers.length, interrupted };
}

it("F12: batches of a server that is killed with SIGKILL many times, at any step, lose no line and charge none twice", async () => {
  const data = join(temporaryFolder(), "data");
  const next = seeded(20261123);
  for (let round = 0; round < rounds; round++) {
    const killAt = 1 + Math.floor(next() * stepsMax);
    const server = await startKilled(data, killAt, next() < 0.5 ? "before" : "after");
    await goOn(server);
    await server.died;
  }
  const last = await startKilled(data, 0, "after");
  const client = clientOf({ url: last.url ?? "", apiKey: testKey });
  const database = new Database(join(data, "hearth.db"), { readonly: true });
  onTestFinished(() => void database.close());
  const counted = { answers: 0, interrupted: 0 };
  const ids: string[] = [];
  for await (const { id } of client.batches.list()) ids.push(id);
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) {
    const { answers, interrupted } = await check(client, id, database);
    counted.answers += answers;
    counted.interrupted += interrupted;
  }
  last.end();
  await last.died;
  expect(counted.answers).toBeGreaterThan(batchLines / 2);
  expect(counted.interrupted).toBeGreaterThan(0);
  const ledger = await openDatabase(join(data, "hearth.db"));
  onTestFinished(() => ledger.close());
  expect(await createLedgerStore(ledger).verify()).toEqual([]);
}, 180_000);
