/** Converts objects to table rows and back, from one list that names the column of every field. */

/** A column whose stored value differs from the field's value. */
interface Column<Field, Stored, Name extends string> {
  readonly name: Name;
  readonly toStored: (value: Field) => Stored;
  readonly fromStored: (value: Stored) => Field;
}

/** For every field the name of a column that stores the value unchanged, or a column with a conversion. */
export type Columns<Entity, Row> = {
  readonly [Field in keyof Entity]-?: {
    readonly [Name in keyof Row & string]:
      | ([Entity[Field], Row[Name]] extends [Row[Name], Entity[Field]] ? Name : never)
      | Column<Entity[Field], Row[Name], Name>;
  }[keyof Row & string];
};

export interface RowMapper<Entity, Row> {
  readonly toRow: (entity: Entity) => Row;
  readonly fromRow: (row: Row) => Entity;
}

/** Creates the mapper for a table. */
export function createRowMapper<Entity extends object, Row extends object>(
  columns: Columns<Entity, Row>,
): RowMapper<Entity, Row> {
  const byField = columns as Readonly<Record<string, string | Column<unknown, unknown, string>>>;
  const all = Object.entries(byField).map(([field, column]) => ({
    field,
    column: typeof column === "string" ? unchanged(column) : column,
  }));
  return {
    toRow(entity) {
      const values = entity as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        all.map(({ field, column }) => [column.name, column.toStored(values[field])]),
      ) as Row;
    },
    fromRow(row) {
      const values = row as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        all.map(({ field, column }) => [field, column.fromStored(values[column.name])]),
      ) as Entity;
    },
  };
}

/** A boolean, stored as 0 or 1. */
export function flag<Name extends string>(name: Name): Column<boolean, number, Name> {
  return { name, toStored: Number, fromStored: (stored) => stored === 1 };
}

/** A list of strings, stored as JSON text. */
export function stringList<Name extends string>(name: Name): Column<readonly string[], string, Name> {
  return {
    name,
    toStored: (value) => JSON.stringify(value),
    fromStored: (stored) => JSON.parse(stored) as string[],
  };
}

/** Bytes; the database returns them as a Node Buffer. */
export function bytes<Name extends string>(name: Name): Column<Uint8Array, Uint8Array, Name> {
  return { name, toStored: (value) => value, fromStored: (stored) => new Uint8Array(stored) };
}

/** The same column, with null stored as null. */
export function nullable<Field, Stored, Name extends string>({
  name,
  toStored,
  fromStored,
}: Column<Field, Stored, Name>): Column<Field | null, Stored | null, Name> {
  return {
    name,
    toStored: (value) => (value === null ? null : toStored(value)),
    fromStored: (stored) => (stored === null ? null : fromStored(stored)),
  };
}

function unchanged(name: string): Column<unknown, unknown, string> {
  return { name, toStored: (value) => value, fromStored: (stored) => stored };
}
