import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { createCommit } from "../../src/store/commit.js";
import { openDatabase, type Database } from "../../src/store/database.js";
import { createDeferredStore } from "../../src/store/deferred-completions.js";
import { createJobStore } from "../../src/store/jobs.js";
import { createResponseStore } from "../../src/store/responses.js";
import type { Schema } from "../../src/store/schema.js";
import { createWrites } from "../../src/store/writes.js";
import { anEnding, someItems, temporaryFolder } from "./records.js";

function storesOf(database: Database) {
  return {
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    writes: createWrites(database),
  };
}

type Ask = (stores: ReturnType<typeof storesOf>) => Promise<unknown>;

/** By primary key. */
const [job, deferred, response, events] = [
  "jobs by sqlite_autoindex_jobs_1 (id=?)",
  "deferred_completions by sqlite_autoindex_deferred_completions_1 (id=?)",
  "responses by sqlite_autoindex_responses_1 (id=?)",
  "response_events by sqlite_autoindex_response_events_1 (response_id=?)",
];
const items = "response_items by sqlite_autoindex_response_items_1 (response_id=?)";
const ending = anEnding({ output: someItems("a"), events: new Uint8Array(1) });

/** What each method looks through, and how. Lines that begin with SCAN or USE go over more than one row. */
const methods: Readonly<Record<string, readonly [ask: Ask, steps: readonly string[]]>> = {
  "jobs.claim": [
    ({ jobs }) => jobs.claim("deferred-completion", 1, 2),
    [job, "jobs by jobs_by_age (kind=?)"],
  ],
  "jobs.renew": [({ jobs }) => jobs.renew(["a"], 1), [job, "SCAN json_each VIRTUAL TABLE INDEX 1:"]],
  "jobs.release": [({ jobs }) => jobs.release("a"), [job]],
  "jobs.releaseAll": [
    ({ jobs }) => jobs.releaseAll("background-response"),
    ["jobs by jobs_held (kind=? AND lease_until>?)"],
  ],
  "jobs.removal": [({ jobs, writes }) => writes.commit([jobs.removal("a")]), [job]],
  "jobs.find": [({ jobs }) => jobs.find("a"), [job]],
  "jobs.count": [({ jobs }) => jobs.count("deferred-completion"), ["jobs by jobs_by_age (kind=?)"]],
  "deferred.ending": [
    (stores) => stores.writes.commit([stores.deferred.ending("a", { state: "done", answer: "" }, 1)]),
    [deferred],
  ],
  "deferred.take": [(stores) => stores.deferred.take("a", "team-1", 1), [deferred, deferred]],
  "deferred.deleteExpired": [
    (stores) => stores.deferred.deleteExpired(1, 2),
    [deferred, "deferred_completions by deferred_completions_by_expiry (expire_time<?)"],
  ],
  "responses.ending": [
    ({ responses, writes }) => writes.commit(responses.ending("a", ending)),
    [response, response, response],
  ],
  "responses.begin": [({ responses }) => responses.begin("a", "{}"), [response]],
  "responses.find": [({ responses }) => responses.find("a", "team-1"), [response]],
  "responses.events": [({ responses }) => responses.events("a", "team-1"), [events, response]],
  "responses.input": [
    ({ responses }) => responses.input("a", "team-1"),
    [response, "item by sqlite_autoindex_response_items_1 (response_id=? AND side=?)"],
  ],
  "responses.chain": [
    ({ responses }) => responses.chain("a", "team-1", 3),
    [
      response,
      "SCAN walk",
      "before by sqlite_autoindex_responses_1 (id=?)",
      "SCAN walk",
      "item by sqlite_autoindex_response_items_1 (response_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  "responses.items": [
    ({ responses }) => responses.items(["a"], "team-1"),
    ["SCAN wanted VIRTUAL TABLE INDEX 1:", "item by response_items_by_id (team_id=? AND id=?)"],
  ],
  "responses.delete": [({ responses }) => responses.delete("a", "team-1"), [response, events, items]],
  "responses.deleteExpired": [
    ({ responses }) => responses.deleteExpired(1, 2),
    [response, "responses by responses_ended (expire_time<?)", events, items],
  ],
  "responses.count": [
    ({ responses }) => responses.count(),
    ["SCAN responses USING COVERING INDEX sqlite_autoindex_responses_1"],
  ],
};

it.each(Object.entries(methods))("%s is answered from an index", async (_, [ask, steps]) => {
  const { database, seen } = await watched();
  await ask(storesOf(database));
  expect(seen).toEqual(steps);
});

/** A migrated, empty database that writes down how SQLite goes about every statement. */
async function watched(): Promise<{ database: Database; seen: readonly string[] }> {
  const file = join(temporaryFolder(), "hearth.db");
  await (await openDatabase(file)).close();
  const sqlite = new Sqlite(file);
  onTestFinished(() => void sqlite.close());
  const seen: string[] = [];
  const statements = {
    prepare: (text: string) => {
      seen.push(...stepsOf(sqlite, text));
      return sqlite.prepare<readonly unknown[]>(text);
    },
    close: () => void sqlite.close(),
  };
  const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) });
  const commit = createCommit(sqlite, statements);
  return {
    database: { kysely, commit, answers: () => Promise.resolve(true), close: () => kysely.destroy() },
    seen,
  };
}

function stepsOf(sqlite: Sqlite.Database, text: string): readonly string[] {
  const plan = sqlite.prepare<readonly unknown[], { detail: string }>(`explain query plan ${text}`);
  // No statement has a question mark that is not a parameter's place.
  const nulls = Array.from({ length: text.split("?").length - 1 }, () => null);
  return plan
    .all(nulls)
    .map(({ detail }) => detail)
    .filter((detail) => !/SUBQUERY \d+$|^CO-ROUTINE|^SETUP$|^RECURSIVE STEP$/.test(detail))
    .map((detail) =>
      detail.replace(/^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+ \(.*\))(?: LEFT-JOIN)?$/, "$1 by $2"),
    );
}
