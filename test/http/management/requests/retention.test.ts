import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { allAcls, dayMs } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { aTeam, ask, chat, list } from "./logged.js";

const engine = () => createScriptedEngine(() => ["Good", " day."]);

/** Advances the clock until a sweep has made something true. */
async function swept(server: ManagedServer, afterMs: number, isDone: () => Promise<void>): Promise<void> {
  server.clock.jump(afterMs);
  await vi.waitFor(
    async () => {
      server.clock.advance(600_000);
      await isDone();
    },
    { timeout: 20_000 },
  );
}

const runsIn = async ({ database: { kysely } }: ManagedServer): Promise<number> =>
  (await kysely.selectFrom("runs").select("id").execute()).length;

/** A server that keeps runs for a week, with runs of a prepaid and of an unmetered team, a label, and their sums. */
async function used() {
  const server = await startServer({
    accounts: "managed",
    engine: engine(),
    environment: { HEARTH_RUNS_KEPT_DAYS: "7" },
  });
  const free = await aTeam(server);
  const paying = await server.createTeam();
  await server.request("POST", `/v1/billing/teams/${paying}/prepaid/top-up`, { amount: { val: "500" } });
  const { apiKey } = await server.createKey(paying, { acls: allAcls });
  for (const key of [free.apiKey, apiKey, apiKey])
    expect((await ask(server, key, { ...chat, user: "ada" })).status).toBe(200);
  const sums = async () => {
    const { kysely } = server.database;
    const tables = ["usageHours", "usageMonths", "teamMonths", "ledgerEntries"] as const;
    return Promise.all(tables.map((table) => kysely.selectFrom(table).selectAll().execute()));
  };
  return { server, free, paying, apiKey, sums };
}

describe("runs that are older than runsKeptDays", () => {
  it("are deleted with their labels, and usage, money and their verification stay", async () => {
    const { server, free, sums } = await used();
    const { kysely } = server.database;
    const before = await sums();
    server.clock.jump(6 * dayMs);
    server.clock.advance(1000);
    expect((await list(server)).requests).toHaveLength(3);
    await swept(server, dayMs, async () => expect(await runsIn(server)).toBe(0));
    expect((await list(server)).requests).toEqual([]);
    expect(await kysely.selectFrom("runLabels").selectAll().execute()).toEqual([]);
    expect(await sums()).toEqual(before);
    expect(await server.stores.ledger.verify()).toEqual([]);
    // New runs of the same hour, month and key are added to the deleted ones.
    expect((await ask(server, free.apiKey)).status).toBe(200);
    expect(await server.stores.ledger.verify()).toEqual([]);
  });

  it("count in a budget that is created later", async () => {
    const { server, free } = await used();
    await swept(server, 7 * dayMs, async () => expect(await runsIn(server)).toBe(0));
    const budget = { period: "month", budget: { hardUsd: "1" } };
    const set = await server.request("PUT", `/auth/teams/${free.teamId}/budgets`, budget);
    expect(set).toMatchObject({ status: 200 });
    const { budget: status } = set.body as { budget: { spentUsd: string; spentTokens: string } };
    expect(Number(status.spentUsd)).toBeGreaterThan(0);
    expect(Number(status.spentTokens)).toBeGreaterThan(2);
    expect(await server.stores.ledger.verify()).toEqual([]);
  });

  it.each([
    [
      "their sums were changed",
      sql`update deleted_runs set cost_ticks = cost_ticks + 1`,
      /runs (of that month )?add up to/,
    ],
    ["their sums are gone", sql`delete from deleted_runs`, /of runs that do not exist/],
    ["their charges were counted twice", sql`update deleted_runs set charged_runs = 9`, /of deleted runs it/],
  ])("are missed by the verification when %s", async (_, change, problem) => {
    const { server } = await used();
    await swept(server, 7 * dayMs, async () => expect(await runsIn(server)).toBe(0));
    await change.execute(server.database.kysely);
    expect((await server.stores.ledger.verify()).join("\n")).toMatch(problem);
  });

  it("are missed by the verification when they were deleted and have not ended", async () => {
    const { server, paying } = await used();
    const { kysely } = server.database;
    await sql`update runs set state = 'running', end_time = null where team_id = ${paying}`.execute(kysely);
    await sql`delete from runs`.execute(kysely);
    expect((await server.stores.ledger.verify()).join("\n")).toMatch(/of runs that do not exist/);
  });

  it("stay for ever by default", async () => {
    const server = await startServer({ accounts: "managed", engine: engine() });
    const { apiKey } = await aTeam(server);
    // The first pass over all tables has ended when the second one deletes.
    for (const _ of ["first", "second"]) {
      await ask(server, apiKey, { model: builtInModel, input: "Hello" }, "/v1/responses");
      await swept(server, 3650 * dayMs, async () =>
        expect(await server.database.kysely.selectFrom("responses").select("id").execute()).toEqual([]),
      );
    }
    expect(await runsIn(server)).toBe(2);
  });
});

it("responses, chat completions, labels and deferred outcomes are kept as long as the settings say", async () => {
  const server = await startServer({
    accounts: "managed",
    engine: engine(),
    environment: {
      HEARTH_RESPONSES_KEPT_DAYS: "2",
      HEARTH_CHAT_COMPLETIONS_KEPT_DAYS: "3",
      HEARTH_RUN_LABELS_KEPT_DAYS: "4",
      HEARTH_DEFERRED_KEPT_HOURS: "5",
    },
  });
  const { apiKey } = await aTeam(server);
  await ask(server, apiKey, { model: builtInModel, input: "Hello" }, "/v1/responses");
  await ask(server, apiKey, { ...chat, store: true, user: "ada" });
  await ask(server, apiKey, { ...chat, deferred: true });
  const { kysely } = server.database;
  const tables = ["responses", "chatCompletions", "runLabels", "deferredCompletions"] as const;
  const leftMs = async () => {
    const times = tables.map(async (table) => {
      const { expireTime } = await kysely.selectFrom(table).select("expireTime").executeTakeFirstOrThrow();
      return (expireTime ?? 0) - server.clock.now();
    });
    return Promise.all(times);
  };
  await expect
    .poll(leftMs, { timeout: 20_000 })
    .toEqual([2 * dayMs, 3 * dayMs, 4 * dayMs, 5 * 60 * 60 * 1000]);
});
