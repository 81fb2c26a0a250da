import type { Migration } from "../migration.js";

/** Changes nothing: PostgreSQL counts all limits of a request in a few statements. */
export const rateCounts: Migration = [];
