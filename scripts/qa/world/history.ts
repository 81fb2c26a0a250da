import type Sqlite from "better-sqlite3";

export interface History {
  readonly runs: number;
  /** The time of the first run, and the span over which all are spread. */
  readonly fromMs: number;
  readonly spanMs: number;
  /** An SQL expression of the number `i` of a run. */
  readonly team: string;
  /** Runs of one transaction. */
  readonly chunk: number;
}

const keys = 200;

/** Inserts finished runs in order of time, with ids that continue what `fillRuns` has inserted before. */
export function fillRuns(sqlite: Sqlite.Database, { runs, fromMs, spanMs, team, chunk }: History): void {
  const insert = sqlite.prepare(`
    with recursive n (i) as (select :from union all select i + 1 from n where i < :to - 1)
    insert into runs (id, request_id, team_id, api_key_id, user_id, model, endpoint, state, prompt_tokens, cached_tokens,
      image_tokens, completion_tokens, reasoning_tokens, cost_ticks, start_time, create_time, end_time, asked_model)
    select printf('run-%08d', i), printf('%08d', i), ${team}, 'key-' || (i % ${keys}), 'user-' || (i % ${keys}), 'model-' || (i % 2),
      '/v1/chat/completions', 'completed', 900, 400, 0, 200, 0, 140000, at, at, at + 900, 'alias-' || (i % 2)
    from (select i, cast(:start + i * :span * 1.0 / :runs as integer) as at from n)`);
  for (let from = 0; from < runs; from += chunk)
    insert.run({ from, to: Math.min(runs, from + chunk), start: fromMs, span: spanMs, runs });
}
