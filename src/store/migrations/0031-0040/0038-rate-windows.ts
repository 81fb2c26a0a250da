import type { Migration } from "../migration.js";

/** Changes nothing: PostgreSQL gets the windows of rate limits, which one server has in its memory. */
export const rateWindows: Migration = [];
