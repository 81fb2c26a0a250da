import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import { noUsage } from "../../../src/core/usage.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createJobStore } from "../../../src/jobs/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { createWrites } from "../../../src/store/writes.js";
import { aJob, aRun, aTeam, databaseOfTwoTeams, temporaryDatabase } from "../../store/records.js";
import { normal, recordedSynchronous, recordSynchronous } from "../../store/synchronous.js";

const usage = { promptTokens: 9, cachedTokens: 2, imageTokens: 1, completionTokens: 5, reasoningTokens: 4 };
const outcome = { state: "completed", usage, costTicks: 180, endTime: 6000 } as const;

async function store(...records: readonly RunRecord[]) {
  const database = await temporaryDatabase();
  await createTeamStore(database).insert(aTeam());
  const runs = createRunStore(database);
  for (const record of records) await runs.insert(record, []);
  return runs;
}

describe("the usage table", () => {
  it("lists what was inserted, newest first, up to the requested number", async () => {
    const old = aRun({ id: "a", startTime: 1000, state: "failed", endTime: 1500 });
    const runs = await store(old, aRun(), aRun({ id: "run-2" }));
    expect(await runs.list(10)).toEqual([aRun({ id: "run-2" }), aRun(), old]);
    expect(await runs.list(1)).toEqual([aRun({ id: "run-2" })]);
  });

  it("writes the end of a running run, and of no other", async () => {
    const runs = await store(aRun(), aRun({ id: "run-2" }));
    await runs.finish("run-2", outcome, []);
    expect(await runs.list(10)).toEqual([aRun({ id: "run-2", ...outcome }), aRun()]);
  });

  it("does not change a run that has ended", async () => {
    const runs = await store(aRun());
    await runs.finish("run-1", outcome, []);
    const late = { state: "aborted", usage: noUsage, costTicks: 0, endTime: 7000 } as const;
    await expect(runs.finish("run-1", late, [])).rejects.toMatchObject({ kind: "conflict" });
    expect(await runs.list(10)).toEqual([aRun(outcome)]);
  });

  it("writes the end of a run and what belongs to it in one transaction, without syncing", async () => {
    const database = await databaseOfTwoTeams();
    const [runs, jobs] = [createRunStore(database), createJobStore(database)];
    await runs.insert(aRun(), []);
    await createWrites(database).commit([jobs.insertion(aJob())]);
    const twice = [jobs.removal("job-1"), jobs.insertion(aJob({ id: "job-2", teamId: "nobody" }))];
    await expect(runs.finish("run-1", outcome, twice)).rejects.toThrow(/FOREIGN KEY/);
    expect(await runs.list(1)).toEqual([aRun()]);
    expect(await jobs.find("job-1")).toEqual(aJob());
    await runs.finish("run-1", outcome, [jobs.removal("job-1"), recordSynchronous(database)]);
    expect(await runs.list(1)).toEqual([aRun(outcome)]);
    expect(await jobs.find("job-1")).toBeNull();
    expect(await recordedSynchronous(database)).toBe(normal);
  });

  it("writes nothing of what belongs to a run that has ended already, such as one that another server has taken over", async () => {
    const database = await databaseOfTwoTeams();
    const [runs, jobs] = [createRunStore(database), createJobStore(database)];
    await runs.insert(aRun(outcome), []);
    const late = { state: "aborted", usage: noUsage, costTicks: 0, endTime: 7000 } as const;
    const writing = runs.finish("run-1", late, [jobs.insertion(aJob())]);
    await expect(writing).rejects.toMatchObject({ kind: "conflict" });
    expect(await runs.list(1)).toEqual([aRun(outcome)]);
    expect(await jobs.find("job-1")).toBeNull();
    await runs.finishUnrecorded([jobs.insertion(aJob())]);
    expect(await jobs.find("job-1")).toEqual(aJob());
  });

  it("writes the end of a run without further writes as a single statement", async () => {
    const database = await databaseOfTwoTeams();
    const commit = (): never => expect.fail("committed");
    const runs = createRunStore({ ...database, commit });
    await runs.insert(aRun(), []);
    await runs.finish("run-1", outcome, []);
    expect(await runs.list(1)).toEqual([aRun(outcome)]);
  });

  it.each([
    ["the monthly limit of its team", "no_credits", { reservedTicks: 21, bound: { ticks: 5, tokens: 5 } }],
    ["a budget in money", "budget_exceeded", { reservedTicks: 10, bound: { ticks: 31, tokens: 5 } }],
    ["a budget in tokens", "budget_exceeded", { reservedTicks: 10, bound: { ticks: 5, tokens: 41 } }],
  ] as const)("does not enlarge what a run reserves beyond %s", async (_, kind, more) => {
    const database = await databaseOfTwoTeams();
    const { kysely } = database;
    const runs = createRunStore(database);
    const of = { subjectId: "key-1", teamId: "team-1", subject: "key", createTime: 1 } as const;
    await kysely
      .insertInto("budgets")
      .values({
        ...of,
        period: "day",
        hardTicks: 30,
        softTicks: null,
        hardTokens: 40,
        softTokens: null,
      })
      .execute();
    await kysely
      .insertInto("spendingLimits")
      .values({ teamId: "team-1", hardTicks: 20, softTicks: null })
      .execute();
    const before = { reservedTicks: 10, bound: { ticks: 5, tokens: 5 } };
    await runs.insert(aRun({ reservedTicks: 10, budgeted: { userId: "user-1", bound: before.bound } }), []);
    const held = async () => [
      await kysely.selectFrom("budgetPeriods").select(["reservedTicks", "reservedTokens"]).execute(),
      await kysely.selectFrom("teamMonths").select("reservedTicks").execute(),
    ];
    const unchanged = [[{ reservedTicks: 5, reservedTokens: 5 }], [{ reservedTicks: 10 }]];
    await expect(runs.enlarge("run-1", { teamId: "team-1", ...more }, [])).rejects.toMatchObject({ kind });
    expect(await held()).toEqual(unchanged);
    const most = { reservedTicks: 20, bound: { ticks: 30, tokens: 40 } };
    await runs.enlarge("run-1", { teamId: "team-1", ...most }, []);
    expect(await held()).toEqual([[{ reservedTicks: 30, reservedTokens: 40 }], [{ reservedTicks: 20 }]]);
    await runs.finish("run-1", outcome, []);
    expect(await held()).toEqual([[{ reservedTicks: 0, reservedTokens: 0 }], [{ reservedTicks: 0 }]]);
    await expect(runs.enlarge("run-1", { teamId: "team-1", ...most }, [])).rejects.toMatchObject({
      kind: "conflict",
    });
  });

  it("marks only runs that were running when the process died as interrupted, at no cost", async () => {
    const ended = aRun({ id: "run-0", ...outcome });
    const runs = await store(aRun(), ended, aRun({ id: "run-2" }));
    expect(await runs.interruptAll(8000)).toBe(2);
    const interrupted = { state: "interrupted", costTicks: 0, endTime: 8000 } as const;
    expect(await runs.list(10)).toEqual([aRun({ id: "run-2", ...interrupted }), aRun(interrupted), ended]);
    expect(await runs.interruptAll(9000)).toBe(0);
  });

  it("stores the largest amounts", async () => {
    const runs = await store(aRun({ costTicks: Number.MAX_SAFE_INTEGER }));
    expect((await runs.list(1))[0]?.costTicks).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each<[string, Partial<RunRecord>]>([
    ["a negative count", { usage: { ...usage, completionTokens: -1 } }],
    ["more cached tokens than prompt tokens", { usage: { ...usage, cachedTokens: 10 } }],
    ["a fraction of a token", { usage: { ...usage, promptTokens: 9.5 } }],
    ["a negative cost", { costTicks: -1 }],
    ["an end without an ended state", { endTime: 6000 }],
    ["an ended state without an end", { state: "completed" }],
    ["a team that does not exist", { teamId: "nobody" }],
  ])("refuses %s", async (_, change) => {
    const runs = await store();
    await expect(runs.insert(aRun(change), [])).rejects.toThrow(/constraint failed|cannot store/);
    expect(await runs.list(1)).toEqual([]);
  });
});
