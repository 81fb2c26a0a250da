import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { readVersion } from "../../../src/store/migrate.js";
import { newestVersion, readSchemaSource } from "../../../src/store/schema/source.js";
import { newPostgresUrl, openBeside } from "../../kit/databases/postgres/databases.js";
import { onTestFinished } from "vitest";
import { writeNewDatabase } from "../../kit/databases/new-database.js";
import { temporaryFolder } from "../records.js";

/**
 * What only PostgreSQL has: the version, which SQLite has as `user_version`, what servers share that one server has in its memory, and
 * what says of a lost connection whether its transaction was committed.
 */
const ofPostgres = ["schema_version", "rate_windows", "rate_entries", "commit_marks"];

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

interface Shape {
  readonly columns: readonly Column[];
  /** Tables with the columns of their primary keys. */
  readonly keys: readonly string[];
  /** `table.column -> table.column`. */
  readonly references: readonly string[];
  readonly indexes: readonly string[];
  readonly triggers: readonly string[];
}

it("both databases have the same version, tables, columns, nullability, keys and indexes", async () => {
  const [sqlite, postgres] = [await shapeOfSqlite(), await shapeOfPostgres()];
  expect(postgres.columns).toEqual(sqlite.columns);
  expect(postgres.keys).toEqual(sqlite.keys);
  expect(postgres.references).toEqual(sqlite.references);
  expect(postgres.indexes).toEqual(sqlite.indexes);
  expect(sqlite.columns.length).toBeGreaterThan(250);
});

it("PostgreSQL has every trigger of SQLite, or one that does more", async () => {
  const [sqlite, postgres] = [await shapeOfSqlite(), await shapeOfPostgres()];
  // One trigger refuses updates and deletions; a unique key refuses what `insert or replace` would do; of the triggers of a table, the
  // name decides which comes first.
  const others = /^(ledger_(entries|transactions)_refuse_|audit_events_un|labelled_runs_are_summed)/;
  expect(postgres.triggers).toEqual(
    expect.arrayContaining(sqlite.triggers.filter((name) => !others.test(name))),
  );
  expect(postgres.triggers).toContain("runs_with_labels_are_summed");
  expect(postgres.triggers).toEqual(
    expect.arrayContaining(
      ["audit_events", "ledger_entries", "ledger_transactions"].map((table) => `${table}_refuse_changes`),
    ),
  );
});

const types: Readonly<Record<string, string>> = { INTEGER: "bigint", TEXT: "text", BLOB: "bytea" };

async function shapeOfSqlite(): Promise<Shape> {
  const file = join(temporaryFolder(), "hearth.db");
  await writeNewDatabase(file);
  const sqlite = new Sqlite(file, { readonly: true });
  onTestFinished(() => void sqlite.close());
  expect(readVersion(sqlite)).toBe(newestVersion(readSchemaSource("postgres")));
  const list = <Row>(text: string): Row[] => sqlite.prepare<[], Row>(text).all();
  const tables = "sqlite_master as t where t.type = 'table' and t.name not like 'sqlite%'";
  const columns = list<{ table: string; name: string; type: string; notnull: number; pk: number }>(
    `select t.name as "table", c.name, c.type, c."notnull", c.pk from ${tables.replace(" where", ", pragma_table_info(t.name) as c where")}`,
  );
  const references = list<{ table: string; from: string; other: string; to: string }>(
    `select t.name as "table", f."from", f."table" as other, f."to" from ${tables.replace(" where", ", pragma_foreign_key_list(t.name) as f where")}`,
  );
  const named = (type: string): string[] =>
    list<{ name: string }>(`select name from sqlite_master where type = '${type}' and sql is not null`).map(
      ({ name }) => name,
    );
  const keys = new Map<string, { name: string; pk: number }[]>();
  for (const { table, name, pk } of columns)
    if (pk > 0) keys.set(table, [...(keys.get(table) ?? []), { name, pk }]);
  return {
    columns: sorted(
      columns.map(({ table, name, type, notnull, pk }) => {
        return { table, name, type: types[type] ?? type, nullable: notnull === 0 && pk === 0 };
      }),
    ),
    keys: [...keys]
      .map(
        ([table, parts]) =>
          `${table} (${parts
            .sort((a, b) => a.pk - b.pk)
            .map(({ name }) => name)
            .join(", ")})`,
      )
      .sort(),
    references: references.map(({ table, from, other, to }) => `${table}.${from} -> ${other}.${to}`).sort(),
    indexes: named("index").sort(),
    triggers: named("trigger").sort(),
  };
}

async function shapeOfPostgres(): Promise<Shape> {
  const database = await openBeside(await newPostgresUrl());
  onTestFinished(() => database.close());
  const list = async <Row>(text: string): Promise<Row[]> => [
    ...(await sql.raw<Row>(text).execute(database.kysely)).rows,
  ];
  const columns = await list<Omit<Column, "nullable"> & { nullable: string }>(
    `select table_name as "table", column_name as name, data_type as type, is_nullable as nullable
     from information_schema.columns where table_schema = 'public'`,
  );
  const keys = await list<{ key: string }>(
    `select table_name || ' (' || string_agg(column_name, ', ' order by ordinal_position) || ')' as key
     from information_schema.table_constraints join information_schema.key_column_usage
       using (constraint_name, table_schema, table_name)
     where constraint_type = 'PRIMARY KEY' and table_schema = 'public' group by table_name`,
  );
  const references = await list<{ reference: string }>(
    `select cast(conrelid::regclass as text) || '.' || a.attname || ' -> ' || cast(confrelid::regclass as text) || '.' || b.attname
       as reference
     from pg_constraint join pg_attribute as a on a.attrelid = conrelid and a.attnum = conkey[1]
       join pg_attribute as b on b.attrelid = confrelid and b.attnum = confkey[1] where contype = 'f'`,
  );
  const indexes = await list<{ name: string }>(
    `select cast(indexrelid::regclass as text) as name from pg_index join pg_class as c on c.oid = indexrelid
     where c.relnamespace = 'public'::regnamespace and not exists (select 1 from pg_constraint where conindid = indexrelid)
       and cast(indrelid::regclass as text) not in (${ofPostgres.map((table) => `'${table}'`).join(", ")})`,
  );
  const triggers = await list<{ name: string }>(
    "select tgname as name from pg_trigger where not tgisinternal",
  );
  const isOfBoth = (table: string | undefined): boolean => !ofPostgres.includes(table ?? "");
  return {
    columns: sorted(
      columns
        .filter(({ table }) => isOfBoth(table))
        .map(({ nullable, ...column }) => ({ ...column, nullable: nullable === "YES" })),
    ),
    keys: keys
      .map(({ key }) => key)
      .filter((key) => isOfBoth(key.split(" ")[0]))
      .sort(),
    references: references.map(({ reference }) => reference).sort(),
    indexes: indexes.map(({ name }) => name).sort(),
    triggers: triggers.map(({ name }) => name).sort(),
  };
}

function sorted(columns: readonly Column[]): readonly Column[] {
  const nameOf = ({ table, name }: Column): string => `${table}.${name}`;
  return [...columns].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}
