import type { Migration } from "./migration.js";

/** From where keys may be used, and when they last were. */
export const keyUse: Migration = ["api_keys", "management_keys"].flatMap((table) => [
  `alter table ${table} add column ip_ranges text check (json_type(ip_ranges) = 'array')`,
  `alter table ${table} add column last_use_time integer`,
]);
