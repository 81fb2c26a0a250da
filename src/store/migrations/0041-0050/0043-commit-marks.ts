import type { Migration } from "../migration.js";

/** Changes nothing: a PostgreSQL transaction leaves a mark by which it is known afterwards whether it was committed. */
export const commitMarks: Migration = [];
