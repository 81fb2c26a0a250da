import { aKey } from "../kit/a-key.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { undoBudgets, undoRemovedKeys } from "./undo-migration.js";
import { cliActor } from "../../src/accounts/audit/actors.js";
import { createKeyService } from "../../src/accounts/keys/keys.js";
import { buildAccountStores } from "../../src/app/accounts.js";
import { systemClock, systemRandom } from "../../src/system.js";
import { createApiKeyStore } from "../../src/accounts/keys/store.js";
import { openDatabase } from "../../src/store/database.js";
import { createJobStore } from "../../src/jobs/store.js";
import { accounts } from "../../src/store/migrations/0001-0010/0001-accounts.js";
import { runs } from "../../src/store/migrations/0001-0010/0002-runs.js";
import { teamWeights } from "../../src/store/migrations/0001-0010/0003-team-weights.js";
import { createResponseStore } from "../../src/inference/responses/store/responses.js";
import { createRunStore } from "../../src/inference/run/store/runs.js";
import { createBillingStore } from "../../src/accounts/money/store/billing.js";
import { createLedgerStore } from "../../src/accounts/money/store/ledger.js";
import { createSpendingStore } from "../../src/accounts/money/store/spending-limits.js";
import { createUsageStore } from "../../src/accounts/usage/store/usage.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { aJob, aResponse, aRun, aTeam, someItems, temporaryFolder } from "./records.js";

/** Creates a database of schema version 3 with a row in every table. */
function databaseOfVersion3(more = ""): string {
  const file = join(temporaryFolder(), "hearth.db");
  const sqlite = new Sqlite(file);
  for (const statement of [...accounts, ...runs, ...teamWeights]) sqlite.exec(statement);
  sqlite.exec(`
    insert into teams values ('team-1', 'default', 'unmetered', 0, 1000, 7);
    insert into api_keys values ('key-1', 'team-1', 'user-1', 'laptop', x'${"07".repeat(32)}', 'hk-...abcd',
      '["api-key:endpoint:*","api-key:model:*"]', 0, 0, null, 1000, 1000, 'user-1');
    insert into runs values ('run-1', 'request-1', 'team-1', 'key-1', 'small', '/v1/chat/completions', 'running',
      9, 2, 1, 0, 0, 90, 5000, null);
    ${more}
    pragma user_version = 3`);
  sqlite.close();
  return file;
}

it("gives runs older than image generation no images and an image price of 0", async () => {
  const database = await openDatabase(databaseOfVersion3());
  const row = await database.kysely.selectFrom("runs").select(["images", "image_ticks"]).executeTakeFirst();
  expect(row).toEqual({ images: 0, image_ticks: 0 });
  await database.close();
});

it("migrates a database of version 3 once and keeps its rows", async () => {
  const file = databaseOfVersion3();
  await (await openDatabase(file)).close();
  const database = await openDatabase(file);
  expect(await createTeamStore(database).list()).toEqual([aTeam({ weight: 7 })]);
  expect(await createApiKeyStore(database).list(null)).toEqual([aKey()]);
  expect(await createRunStore(database).list(9)).toEqual([aRun()]);
  const [jobs, responses] = [createJobStore(database), createResponseStore(database)];
  await createWrites(database).commit([
    jobs.insertion(aJob()),
    ...responses.insertion(aResponse(), someItems("in"), []),
  ]);
  expect(await jobs.find("job-1")).toEqual(aJob());
  expect(await responses.input("resp-1", "team-1")).toEqual(someItems("in"));
  await database.close();
});

it("sums the usage and cost of the runs of an older database", async () => {
  const hour = Date.UTC(2026, 10, 30, 23);
  const run = (id: string, state: string, startTime: number) =>
    `insert into runs values ('${id}', 'r', 'team-1', 'key-1', 'small', '/v1/complete', '${state}',
      9, 2, 1, 5, 4, ${state === "interrupted" ? 0 : 180}, ${startTime}, 7);`;
  const runs = [
    run("a", "completed", hour),
    run("b", "aborted", hour + 3_599_999),
    run("c", "failed", hour + 3_600_000),
    run("d", "interrupted", hour),
  ];
  const database = await openDatabase(databaseOfVersion3(runs.join("\n")));
  onTestFinished(() => database.close());
  const used = await createUsageStore(database).rows({
    ...{ teamId: "team-1", from: 0, to: hour + 7_200_000, unit: "hour", by: ["model"], hosted: [] },
    ...{ ownerId: null, top: null, label: null, order: "time", limit: 9 },
  });
  expect(used).toMatchObject([
    {
      time: hour,
      runs: 2,
      costTicks: 360n,
      creditTicks: 0n,
      usage: { promptTokens: 18, reasoningTokens: 8 },
    },
    { time: hour + 3_600_000, runs: 1, costTicks: 180n, usage: { imageTokens: 1, completionTokens: 5 } },
  ]);
  const spending = createSpendingStore(database);
  expect((await spending.find("team-1", 202611)).chargedTicks).toBe(360n);
  expect((await spending.find("team-1", 202612)).chargedTicks).toBe(180n);
  expect(await createLedgerStore(database).verify()).toEqual([]);
});

it("counts the images of earlier runs in the usage of their hour and of their month", async () => {
  const file = join(temporaryFolder(), "hearth.db");
  const earlier = await openDatabase(file);
  await createTeamStore(earlier).insert(aTeam());
  const prices = { ...freeOfCharge, imageTicks: 7 };
  const usage = { ...aRun().usage, images: 3 };
  const ended = { state: "completed", endTime: 6000, usage, prices, costTicks: 21 } as const;
  await createRunStore(earlier).insert(aRun(ended), []);
  await earlier.close();
  const sqlite = new Sqlite(file);
  const rollUps = ["runs_ended_are_rolled_up", "runs_are_rolled_up"];
  sqlite.exec(`
    ${undoBudgets}
    ${rollUps.map((name) => `drop trigger ${name}; create trigger ${name} after insert on runs begin select 1; end;`).join("\n")}
    alter table usage_hours drop column images;
    drop table usage_months;
    drop index jobs_attempted;
    drop table model_pulls;
    drop table run_labels;
    drop table chat_completions;
    drop table conversation_items;
    drop table conversations;
    drop index responses_of_conversations;
    alter table responses drop column conversation_id;
    drop table files;
    drop table batch_lines;
    drop table batches;
    drop table member_sign_ins;
    drop table sign_in_links;
    drop table console_sessions;
    pragma user_version = 17`);
  sqlite.close();
  const database = await openDatabase(file);
  const query = { teamId: "team-1", from: 0, to: 9000, unit: null, by: [], hosted: [] } as const;
  const [used] = await createUsageStore(database).rows({
    ...query,
    ownerId: null,
    top: null,
    label: null,
    order: "time",
    limit: 9,
  });
  expect(used?.usage.images).toBe(3);
  expect(await createBillingStore(database).month("team-1", 197001)).toMatchObject([
    { model: "small", images: 3, costTicks: 21n, prices },
  ]);
  await database.close();
});

it("F19: rewrites a database of an earlier version once, so that nothing remains of what was deleted before", async () => {
  const marker = "a-team-of-old-that-is-gone";
  const insert = `insert into teams values ('old', '${marker}', 'unmetered', 0, 1000, 7);`;
  const file = databaseOfVersion3(`${insert} delete from teams where id = 'old';`);
  expect(readFileSync(file).includes(marker)).toBe(true);
  const database = await openDatabase(file);
  const { rows } = await sql<{ auto_vacuum: number }>`pragma auto_vacuum`.execute(database.kysely);
  expect(rows).toEqual([{ auto_vacuum: 2 }]);
  await database.close();
  expect(readFileSync(file).includes(marker)).toBe(false);
});

const freeOfCharge = {
  promptTextTokenTicks: 0,
  cachedPromptTextTokenTicks: 0,
  completionTextTokenTicks: 0,
};

it("M4: finds the names and the owners of keys that were deleted before they were kept", async () => {
  const file = join(temporaryFolder(), "hearth.db");
  const earlier = await openDatabase(file);
  const stores = buildAccountStores(earlier);
  const keys = createKeyService({ ...stores, clock: systemClock, random: systemRandom });
  const team = aTeam();
  await stores.teams.insert(team);
  const { key } = await keys.create({ name: "laptop", teamId: team.id }, { ...cliActor, userId: "user-7" });
  const ended = { teamId: team.id, state: "completed", endTime: 6000 } as const;
  const budgeted = { userId: "user-8", bound: { ticks: 90, tokens: 90 } };
  await createRunStore(earlier).insert(aRun({ ...ended, apiKeyId: key.id }), []);
  await createRunStore(earlier).insert(aRun({ ...ended, id: "run-2", apiKeyId: "unaudited", budgeted }), []);
  await keys.remove(key.id, cliActor);
  await earlier.close();
  const sqlite = new Sqlite(file);
  sqlite.exec(`${undoRemovedKeys} pragma user_version = 44`);
  sqlite.close();
  const database = await openDatabase(file);
  onTestFinished(() => database.close());
  const found = await database.kysely.selectFrom("removed_keys").selectAll().orderBy("user_id").execute();
  expect(found).toEqual([
    { id: key.id, team_id: team.id, user_id: "user-7", name: "laptop" },
    { id: "unaudited", team_id: team.id, user_id: "user-8", name: null },
  ]);
});
