/** The statements of one step. Steps are append-only: what a database may have run already is never edited. */
export type Migration = readonly string[];
