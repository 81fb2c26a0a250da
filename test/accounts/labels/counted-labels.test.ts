import { expect, it } from "vitest";
import type { SpendLabels } from "../../../src/accounts/principals/spend-labels.js";
import { createCountedLabelStore } from "../../../src/accounts/money/store/counted-labels.js";
import { createUsageStore } from "../../../src/accounts/usage/store/usage.js";
import type { Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { aRun, databaseOfTwoTeams } from "../../store/records.js";

const december = Date.UTC(2026, 11, 1);
const labels = (change: Partial<SpendLabels>): SpendLabels => ({
  ...{ tags: [], metadata: [], endUser: null },
  ...change,
});

async function register(
  store: ReturnType<typeof createCountedLabelStore>,
  database: Database,
  time: number,
  spend: SpendLabels,
): Promise<void> {
  const registration = await store.register("team-1", time, spend);
  await createWrites(database).commit(registration.writes);
  registration.committed();
}

const stored = async ({ kysely }: Database) =>
  (await kysely.selectFrom("countedLabels").selectAll().execute()).map(
    ({ month, source, label }) => `${month} ${source} ${label}`,
  );

it("in each month, as many labels of each source are counted by themselves as there is room for, also after a restart", async () => {
  const database = await databaseOfTwoTeams();
  const bounds = { perMonthMax: { header: 2, metadata: 1, user: 1 } };
  const store = createCountedLabelStore(database, bounds);
  for (const tag of ["a", "b", "a", "c"])
    await register(store, database, december - 1, labels({ tags: [tag], metadata: [`id:${tag}`] }));
  const again = createCountedLabelStore(database, bounds);
  await register(again, database, december - 1, labels({ tags: ["d"], endUser: "ada" }));
  await register(again, database, december, labels({ tags: ["d"], endUser: "bob" }));
  expect(await stored(database)).toEqual([
    "202611 header a",
    "202611 header b",
    "202611 metadata id:a",
    "202611 user ada",
    "202612 header d",
    "202612 user bob",
  ]);
});

it("a label whose run was not written is not taken for counted", async () => {
  const database = await databaseOfTwoTeams();
  const store = createCountedLabelStore(database);
  await store.register("team-1", december, labels({ tags: ["a"] }));
  await register(store, database, december, labels({ tags: ["a"] }));
  expect(await stored(database)).toEqual(["202612 header a"]);
});

it("a run with labels beyond the bound is summed once as *, and one with a label that has a budget by itself", async () => {
  const database = await databaseOfTwoTeams();
  const { kysely } = database;
  const runs = createRunStore(database);
  const many = Array.from({ length: 1000 }, (_, at) => ({
    ...{ teamId: "team-1", month: 202612, source: "header" as const, label: `tag-${at}` },
  }));
  await kysely.insertInto("countedLabels").values(many).execute();
  await kysely
    .insertInto("budgets")
    .values({
      ...{ subjectId: "tag:watched", teamId: "team-1", period: "day", subject: "tag", createTime: 1 },
      ...{ hardTicks: null, softTicks: null, hardTokens: 1000, softTokens: null },
    })
    .execute();
  const spend = labels({ tags: ["tag-7", "new-1", "new-2", "watched"], endUser: "ada" });
  const ended = { state: "completed", startTime: december, endTime: december, costTicks: 5 } as const;
  await runs.insert(aRun({ ...ended, labelled: { text: null, spend } }), []);
  const query = {
    ...{ teamId: "team-1", from: 0, to: december * 2, unit: null, hosted: [], ownerId: null },
    ...{ top: null, label: null, order: "time" as const, limit: 9 },
  };
  const usage = createUsageStore(database);
  const sumsBy = async (kind: "tag" | "user") =>
    (await usage.rows({ ...query, by: [kind] })).map(({ group, runs: count, costTicks }) => [
      ...[group[0]?.id, count, costTicks],
    ]);
  expect(await sumsBy("tag")).toEqual([
    ["*", 1, 5n],
    ["tag-7", 1, 5n],
    ["watched", 1, 5n],
  ]);
  expect(await sumsBy("user")).toEqual([["ada", 1, 5n]]);
  expect(await usage.rows({ ...query, by: ["model"], label: { kind: "tag", label: "tag-7" } })).toMatchObject(
    [{ runs: 1, costTicks: 5n }],
  );
});
