import type { Migration } from "../../migrations/migration.js";

/** Months and periods of times in milliseconds since the epoch, in UTC; a week starts on Monday, three days before the epoch. */
export const timeFunctions: Migration = [
  `create function month_of(at bigint) returns bigint language sql immutable
  return cast(to_char(to_timestamp(at / 1000) at time zone 'UTC', 'YYYYMM') as bigint)`,
  `create function month_start(at bigint) returns bigint language sql immutable
  return cast(extract(epoch from date_trunc('month', to_timestamp(at / 1000) at time zone 'UTC') at time zone 'UTC') as bigint) * 1000`,
  `create function period_start(period text, at bigint) returns bigint language sql immutable
  return case period
    when 'day' then at - at % 86400000
    when 'week' then at - (at + 259200000) % 604800000
    when 'month' then month_start(at)
    else 0 end`,
];
