import type { Migration } from "../migration.js";

/** Adds the addresses from which keys may be used, and the time of last use. */
export const keyUse: Migration = ["api_keys", "management_keys"].flatMap((table) => [
  `alter table ${table} add column ip_ranges text check (json_type(ip_ranges) = 'array')`,
  `alter table ${table} add column last_use_time integer`,
]);
