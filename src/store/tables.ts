/**
 * The tables of the database, as every query names them: tables and columns in camelCase, whose SQL names are in snake_case. schema/ has the
 * SQL that creates them. Times are milliseconds since the epoch.
 */
import type { Insertable, Selectable } from "kysely";
import type { AccountTables } from "./tables/accounts.js";
import type { MoneyTables } from "./tables/money.js";
import type { RunTables } from "./tables/runs.js";
import type { StoredTables } from "./tables/stored.js";
import type { WorkTables } from "./tables/work.js";

export interface Schema extends AccountTables, MoneyTables, RunTables, StoredTables, WorkTables {}

/** A row of a table as queries return it. */
export type Row<Table extends keyof Schema> = Readonly<Selectable<Schema[Table]>>;

/** Some columns of a row, by their names. */
export type Columns<Table extends keyof Schema, Names extends readonly (keyof Row<Table>)[]> = Pick<
  Row<Table>,
  Names[number]
>;

/** A row of a table as it is inserted: what the database generates may be absent. */
export type NewRow<Table extends keyof Schema> = Readonly<Insertable<Schema[Table]>>;

/** The names of all columns with values of a type. */
type ColumnOf<Value> = {
  [Table in keyof Schema]: {
    [Column in keyof Row<Table>]: NonNullable<Row<Table>[Column]> extends Value ? Column : never;
  }[keyof Row<Table>];
}[keyof Schema];

type Json =
  readonly unknown[] | Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Names whose values are converted in one table and not in another one: there are none. */
type Ambiguous = Extract<ColumnOf<boolean | Json | Uint8Array>, ColumnOf<string | number>>;

/**
 * The columns for whose values the databases have no type, by their names in all tables: a boolean is stored as 0 or 1, a list or an object
 * as JSON text. Bytes are read as a Uint8Array, which is no part of a larger buffer.
 */
export const convertedColumns: Readonly<
  Record<ColumnOf<boolean>, "boolean"> &
    Record<ColumnOf<Json>, "json"> &
    Record<ColumnOf<Uint8Array>, "bytes"> &
    Record<Ambiguous, never>
> = {
  background: "boolean",
  blocked: "boolean",
  disabled: "boolean",
  isCut: "boolean",
  keepsBodies: "boolean",
  streamed: "boolean",
  warned: "boolean",
  acls: "json",
  details: "json",
  ipRanges: "json",
  objectAfter: "json",
  objectBefore: "json",
  subjects: "json",
  tags: "json",
  events: "bytes",
  hash: "bytes",
  previousHash: "bytes",
  stateHash: "bytes",
};
