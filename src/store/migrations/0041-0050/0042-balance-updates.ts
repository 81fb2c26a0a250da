import type { Migration } from "../migration.js";

/** Changes nothing: PostgreSQL inserts a balance only where there is none. */
export const balanceUpdates: Migration = [];
