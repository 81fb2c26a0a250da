import type { RawBuilder } from "kysely";

/** A value or an expression of a query. A string or a number becomes a parameter. */
type Operand = RawBuilder<unknown> | string | number;

/**
 * What the SQL of a database does differently. Everything else that stores write runs unchanged on both databases: literals
 * where an index is partial, `is not distinct from` instead of `is`, `case` instead of `iif`, and an alias for every subquery.
 */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Whether several servers may use one database. */
  readonly isShared: boolean;
  /** The number of the server that makes the query; null for a command, and where servers share no database. */
  readonly thisNode: RawBuilder<number | null>;
  /** Whether a claim skips rows that another transaction has locked; SQLite has one writer at a time. */
  readonly skipsLocked: boolean;
  /**
   * An expression that waits until no other transaction begins or ends runs of a team, and keeps others from it until this one ends; null
   * where one transaction follows another.
   */
  readonly lockOfRuns: ((team: RawBuilder<unknown>) => RawBuilder<unknown>) | null;
  /** A subquery of the column `value`: the strings of a JSON array. */
  readonly selectStrings: (json: Operand) => RawBuilder<{ readonly value: string }>;
  /** A subquery of the columns `key` and `value`: the whole numbers of a JSON object. */
  readonly selectNumbers: (json: Operand) => RawBuilder<{ readonly key: string; readonly value: number }>;
  /** A subquery: fields of the objects of a JSON array, each as the column that is given. */
  readonly selectRecords: (json: Operand, columns: readonly RecordColumn[]) => RawBuilder<unknown>;
  /** An aggregate: a JSON array with an array of these expressions for each row; of no rows, an empty array or null. */
  readonly aggregateArrays: (expressions: readonly RawBuilder<unknown>[]) => RawBuilder<string | null>;
  /** Whether a JSON object of strings has that value at that key. */
  readonly hasPair: (json: RawBuilder<unknown>, key: string, value: string) => RawBuilder<boolean>;
  /** The text of a value in JSON, such as that at `error.message`; null where it is null or absent. */
  readonly selectField: (
    json: RawBuilder<unknown>,
    path: readonly (string | number)[],
  ) => RawBuilder<string | null>;
  /** Whether a text contains another one, upper and lower case of ASCII letters being equal. */
  readonly contains: (text: RawBuilder<unknown>, part: string) => RawBuilder<boolean>;
  /** The text of a line break. */
  readonly lineBreak: RawBuilder<string>;
  readonly greater: (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => RawBuilder<number>;
  readonly smaller: (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => RawBuilder<number>;
  /** The month in which a time in milliseconds lies, such as 202611. */
  readonly toMonth: (time: RawBuilder<unknown>) => RawBuilder<number>;
  /** The first millisecond of that month. */
  readonly monthStart: (time: RawBuilder<unknown>) => RawBuilder<number>;
  /** A time in milliseconds as text, such as 2026-11-24T08:00Z. */
  readonly timeText: (time: RawBuilder<unknown>) => RawBuilder<string>;
  /** The id that the last insert of the transaction into this table generated. */
  readonly insertedId: (table: "ledger_transactions") => RawBuilder<number>;
  /** The same column, without the indexes that begin with it. */
  readonly unindexed: (column: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** A table that is read by this index. */
  readonly readBy: (table: RawBuilder<unknown>, index: string) => RawBuilder<unknown>;
  /** An expression that depends on the grouped columns alone, where the database cannot see that it does. */
  readonly ofGroup: <Value>(expression: RawBuilder<Value>) => RawBuilder<Value>;
  /** Bytes of that number, of any value. */
  readonly someBytes: (count: number) => RawBuilder<Uint8Array>;
}

/** Why a constraint or a trigger of the schema has refused a write. */
export type Refusal =
  "unique" | "no_overdraft" | "countable" | "monthly_limit" | "budget" | "unstorable_text";

/** A database that is temporarily unusable. */
export interface Unavailability {
  /** The operation that fails. */
  readonly what: "write to" | "use";
  readonly retryAfterSeconds: number;
}

/** A field of an object and the column that it becomes. */
export interface RecordColumn {
  readonly field: string;
  readonly column: string;
  readonly type: "text" | "number";
}
