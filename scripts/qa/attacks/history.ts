/** A year of usage in the database of a server that does not run. */
import Sqlite from "better-sqlite3";

const keys = 200;
const yearMs = 365 * 86_400_000;
/** Runs of one transaction: its write-ahead log stays small. */
const chunk = 50_000;

/** Inserts finished runs of a year before today. The triggers of the database keep the sums. */
export function fillHistory(file: string, teamId: string, runs: number): void {
  const sqlite = new Sqlite(file);
  sqlite.pragma("synchronous = OFF");
  sqlite.pragma("cache_size = -500000");
  const endMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const insert =
    sqlite.prepare(`with recursive n (i) as (select :from union all select i + 1 from n where i < :to - 1)
    insert into runs (id, request_id, team_id, api_key_id, user_id, model, endpoint, state, prompt_tokens, cached_tokens,
      image_tokens, completion_tokens, reasoning_tokens, cost_ticks, start_time, create_time, end_time, asked_model)
    select printf('run-%08d', i), printf('%08d', i), :team, 'key-' || (i % ${keys}), 'user-' || (i % ${keys}), 'model-' || (i % 2),
      '/v1/chat/completions', 'completed', 900, 400, 0, 200, 0, 140000, at, at, at + 900, 'alias-' || (i % 2)
    from (select i, cast(:end - ${yearMs} + i * ${yearMs}.0 / :runs as integer) as at from n)`);
  for (let from = 0; from < runs; from += chunk)
    insert.run({ from, to: Math.min(runs, from + chunk), team: teamId, end: endMs, runs });
  sqlite.close();
}
