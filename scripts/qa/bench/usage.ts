/**
 * Measures a request and a report with many finished runs in the database, and the last page of a large list
 * of keys.
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { creditTransaction } from "../../../src/accounts/money/ledger.js";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { defaultTeamSettings } from "../../../src/accounts/principals/team.js";
import { createUsageStore } from "../../../src/accounts/usage/store/usage.js";
import { createPricedRuns } from "./priced-run.js";
import type { SectionOptions } from "./options.js";
import { scratchFolder } from "../world/processes.js";
import { fillRuns } from "../world/history.js";
import { quantile, spread, timed, toRow, type Row } from "../figures/table.js";

const requests = 10_000;
const reports = 20;
const keys = 1_000_000;
const pageItems = 100;
const teams = 100;
const ticks = 1_000_000;
/** The runs are spread over a year; the requests are in its last month. */
const [yearFrom, yearMs] = [Date.UTC(2025, 11, 1), 365 * 86_400_000];
const month = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) };
const now = Date.UTC(2026, 10, 21, 12);

/** Uses 10 million runs with `--large`, otherwise a tenth of that. */
export async function usageSection({ large }: SectionOptions): Promise<readonly Row[]> {
  const count = large ? 10_000_000 : 1_000_000;
  const none = await measured(0);
  const many = await measured(count);
  const ratio = quantile(many.requests, 0.5) / quantile(none.requests, 0.5);
  return [
    toRow("reserve, settle, no runs in the database", spread(none.requests, 3, "ms")),
    toRow(`the same with ${count} runs in the database`, spread(many.requests, 3, "ms")),
    toRow("p50 with many runs to p50 without", ratio.toFixed(2), "<= 1.2"),
    toRow("a month of one of 100 teams by model", spread(many.reports, 2, "ms")),
    toRow(`a page of ${pageItems} keys at the end of ${keys}`, spread(many.pages, 2, "ms")),
    toRow("the database", `${(many.bytes / 1e9).toFixed(2)} GB`, "<= 3 GB"),
  ];
}

interface Measured {
  /** Durations in milliseconds. */
  readonly requests: readonly number[];
  readonly reports: readonly number[];
  readonly pages: readonly number[];
  readonly bytes: number;
}

async function measured(runs: number): Promise<Measured> {
  const data = scratchFolder();
  const file = join(data.path, "hearth.db");
  await (await openDatabase(file)).close();
  const bytes = fill(file, runs);
  const database = await openDatabase(file);
  try {
    await makeTeams(database);
    const run = createPricedRuns(database, ticks, () => now);
    const request = (): Promise<void> =>
      run({ teamId: "team-0", apiKeyId: "key-7", model: "model-0", requestedModel: "alias-0" });
    await repeat(requests / 10, request);
    return {
      requests: await repeat(requests, request),
      reports: await repeat(reports, () => report(database)),
      pages: await repeat(reports, () => lastPage(database)),
      bytes,
    };
  } finally {
    await database.close();
    data.remove();
  }
}

async function repeat(times: number, action: () => Promise<unknown>): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let at = 0; at < times; at++) taken.push(await timed(action));
  return taken;
}

/**
 * Inserts finished runs in order of time, and keys of the first team. The triggers and indexes of the runs
 * are dropped before and restored afterwards, and their sums are computed at once. @returns the size of the
 * file
 */
function fill(file: string, runs: number): number {
  const sqlite = new Sqlite(file);
  // No journal: it would write everything twice. Opening the database enables it again.
  sqlite.pragma("journal_mode = OFF");
  sqlite.pragma("synchronous = OFF");
  sqlite.pragma("cache_size = -500000");
  sqlite.pragma("foreign_keys = OFF");
  const found = sqlite.prepare<[], { type: string; name: string; sql: string }>(
    `select type, name, sql from sqlite_master where tbl_name = 'runs' and type in ('trigger', 'index') and sql <> ''`,
  );
  const kept = found.all();
  for (const { type, name } of kept) sqlite.exec(`drop ${type} ${name}`);
  if (runs > 0) {
    const team = `'team-' || (i % ${teams})`;
    fillRuns(sqlite, { runs, fromMs: yearFrom, spanMs: yearMs, team, chunk: runs });
    for (const statement of additions) sqlite.exec(statement);
  }
  for (const { sql } of kept) sqlite.exec(sql);
  const [size] = sqlite
    .prepare<[], { bytes: number }>(
      "select page_count * page_size as bytes from pragma_page_count, pragma_page_size",
    )
    .all();
  sqlite.close();
  return size?.bytes ?? 0;
}

const additions = [
  `insert into usage_hours select team_id, start_time - start_time % 3600000, model, asked_model, api_key_id,
      count(*), sum(prompt_tokens), sum(cached_tokens), sum(image_tokens), sum(completion_tokens),
      sum(reasoning_tokens), sum(cost_ticks), 0, 0
    from runs group by 1, 2, 3, 4, 5`,
  `insert into usage_days select team_id, hour - hour % 86400000, model, asked_model, api_key_id, sum(runs), sum(prompt_tokens),
      sum(cached_tokens), sum(image_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(cost_ticks), sum(credit_ticks),
      sum(images)
    from usage_hours group by 1, 2, 3, 4, 5`,
  `insert into team_months select team_id, strftime('%Y%m', hour / 1000, 'unixepoch'), sum(cost_ticks), 0
    from usage_hours group by 1, 2`,
  `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${keys - 1})
    insert into api_keys (id, team_id, user_id, name, hash, redacted, acls, disabled, blocked, create_time,
      modify_time, modified_by)
    select printf('key-%07d', i), 'team-0', 'user', 'key', cast(printf('%032d', i) as blob), 'hk-...', '[]', 0, 0,
      i, i, 'user' from n`,
];

async function makeTeams(database: Database): Promise<void> {
  const [store, ledger] = [createTeamStore(database), createLedgerStore(database)];
  for (let index = 0; index < teams; index++) {
    const team = { ...defaultTeamSettings, billing: "prepaid", createTime: index } as const;
    await store.insert({ ...team, id: `team-${index}`, name: `team ${index}` });
  }
  const credit = { teamId: "team-0", ticks: Number.MAX_SAFE_INTEGER, note: null };
  await ledger.post(creditTransaction("purchase", credit, 0));
}

async function report(database: Database): Promise<void> {
  const query = { teamId: "team-7", ...month, unit: null, by: ["model"], hosted: [], label: null } as const;
  await createUsageStore(database).rows({ ...query, ownerId: null, top: null, order: "cost", limit: 100 });
}

async function lastPage(database: Database): Promise<void> {
  const after = { createTime: keys - pageItems - 1, id: "" };
  const page = {
    teamId: "team-0",
    after,
    acls: [],
    userId: null,
    text: null,
    unexpiredAt: null,
    limit: pageItems,
  };
  await createApiKeyStore(database).page(page);
}
