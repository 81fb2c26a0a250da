/** The SQL statements of one migration. A published migration is never edited. */
export type Migration = readonly string[];
