import { join } from "node:path";
import Sqlite from "better-sqlite3";

export const keyCount = 10_000;
/** Keys of programs that run around the clock; the others are used in 30 hours on 10 days of the year. */
const busyKeys = 82;
const [hourMs, dayMs, yearDays] = [3_600_000, 86_400_000, 365];

/**
 * Gives the first team of a server that does not run 10,000 API keys and a million rows of hourly usage in the year before `now`.
 * @returns the number of rows
 */
export function fillUsage(data: string, now: number): number {
  const sqlite = new Sqlite(join(data, "hearth.db"));
  sqlite.pragma("synchronous = OFF");
  const firstDay = now - (now % dayMs) - (yearDays - 1) * dayMs;
  sqlite.transaction(() => {
    for (const statement of [filling(now), writeUsageSql(firstDay), days]) sqlite.exec(statement);
  })();
  const [found] = sqlite.prepare<[], { rows: number }>("select count(*) as rows from usage_hours").all();
  sqlite.close();
  return found?.rows ?? 0;
}

/** A member for each hundred keys. */
const filling = (now: number): string => `
  insert into members (id, team_id, email, email_folded, given_name, family_name, role, create_time)
    with recursive n (i) as (select 0 union all select i + 1 from n where i < ${keyCount / 100 - 1})
    select 'member-' || i, (select id from teams limit 1), 'person' || i || '@example.com', 'person' || i || '@example.com', 'Person', '' || i, 'member', ${now} from n;
  insert into api_keys (id, team_id, user_id, name, hash, redacted, acls, disabled, blocked, create_time, modify_time, modified_by)
    with recursive n (i) as (select 0 union all select i + 1 from n where i < ${keyCount - 1})
    select printf('key-%05d', i), (select id from teams limit 1), 'member-' || (i % ${keyCount / 100}), 'program ' || i,
      cast(printf('%032d', i) as blob), 'hk-...' || printf('%04d', i), '["api-key:endpoint:*","api-key:model:*"]', 0, 0,
      ${now} - i * 60000, ${now} - i * 60000, 'owner' from n`;

const writeUsageSql = (firstDay: number): string => `
  insert into usage_hours (team_id, hour, model, asked_model, api_key_id, runs, prompt_tokens, cached_tokens, image_tokens,
      completion_tokens, reasoning_tokens, cost_ticks, credit_ticks, images)
    with recursive hours (h) as (select 0 union all select h + 1 from hours where h < ${yearDays * 24 - 1}),
      busy (i) as (select 0 union all select i + 1 from busy where i < ${busyKeys - 1}),
      rare (i) as (select ${busyKeys} union all select i + 1 from rare where i < ${keyCount - 1}),
      often (n) as (select 0 union all select n + 1 from often where n < 29),
      used (i, h) as (
        select i, h from hours, busy
        union all
        select i, (i * 37 + n / 3 * 36) % ${yearDays} * 24 + 9 + n % 3 from rare, often)
    select (select id from teams limit 1), ${firstDay} + h * ${hourMs}, 'model-' || (i % 3), 'model-' || (i % 3),
      printf('key-%05d', i), 1 + h % 7, 900 + i % 50, 400, 0, 200 + h % 100, 0, 140000 + i, 0, 0
    from used`;

const sums = [
  ...["runs", "prompt_tokens", "cached_tokens", "image_tokens", "completion_tokens", "reasoning_tokens"],
  ...["cost_ticks", "credit_ticks", "images"],
];

const days = `
  insert into usage_days (team_id, day, model, asked_model, api_key_id, ${sums.join(", ")})
    select team_id, hour - hour % ${dayMs}, model, asked_model, api_key_id, ${sums.map((sum) => `sum(${sum})`).join(", ")}
    from usage_hours group by 1, 2, 3, 4, 5`;
