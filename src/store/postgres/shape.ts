/** Compares the schema of a database with the one that a file of SQL creates. */
import type pg from "pg";

/** The schema in which the SQL is executed is never committed. */
const opening =
  "savepoint comparison; create schema hearth_comparison; set local search_path = hearth_comparison";

/**
 * Returns the first column, constraint, index, trigger or function that the SQL creates and the database lacks or has in another form; null:
 * there is none. What the database has besides is no difference. The user needs the right to create a schema.
 * @param client is in a transaction
 */
export async function findPostgresDifference(client: pg.Client, creation: string): Promise<string | null> {
  const found = await readPostgresShape(client);
  await client.query(opening);
  await client.query(creation);
  const wanted = await readPostgresShape(client);
  await client.query("rollback to savepoint comparison");
  for (const [object, definition] of wanted) if (found.get(object) !== definition) return object;
  return null;
}

/** Returns the definition of everything in the current schema, by its kind and name; constraints are named by what they demand. */
export async function readPostgresShape(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{
    readonly object: string;
    readonly definition: string;
    readonly schema: string;
  }>(objects);
  return new Map(
    rows.map(({ object, definition, schema }) => {
      const plain = (text: string): string => text.replaceAll(`${schema}.`, "").replaceAll(/\s+/g, " ");
      return [plain(object), plain(definition)];
    }),
  );
}

const inSchema = "current_schema()::regnamespace";

const objects = `
  select object, definition, current_schema() as schema from (
    select 'column ' || c.relname || '.' || a.attname as object, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end, a.attidentity::text, locale.collname,
      pg_get_expr(d.adbin, d.adrelid)) as definition
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation as locale on locale.oid = a.attcollation
    where c.relnamespace = ${inSchema} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    union all
    select 'constraint of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid), pg_get_constraintdef(oid)
    from pg_constraint where connamespace = ${inSchema} and contype in ('c', 'f', 'p', 'u')
    union all
    select 'index ' || c.relname, pg_get_indexdef(c.oid)
    from pg_class as c join pg_index as i on i.indexrelid = c.oid
    where c.relnamespace = ${inSchema} and not exists (select 1 from pg_constraint where conindid = c.oid)
    union all
    select 'trigger ' || t.tgname || ' of ' || c.relname, pg_get_triggerdef(t.oid)
    from pg_trigger as t join pg_class as c on c.oid = t.tgrelid where c.relnamespace = ${inSchema} and not t.tgisinternal
    union all
    select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')', pg_get_functiondef(oid)
    from pg_proc where pronamespace = ${inSchema} and prokind = 'f'
  ) as found order by object`;
