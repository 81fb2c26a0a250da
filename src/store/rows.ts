/**
 * What lies between rows and the database: the names of columns, and the values for which the databases have no type. tables.ts says which
 * columns those are.
 */
import { convertedColumns } from "./tables.js";

type ResultRow = Record<string, unknown>;

/** Makes a row of its values, in the order of the columns. */
export type RowReader = (values: readonly unknown[]) => ResultRow;

type Conversion = (typeof convertedColumns)[keyof typeof convertedColumns];

const reading: Readonly<Record<Conversion, (value: unknown) => unknown>> = {
  boolean: (value) => (typeof value === "number" ? value !== 0 : value),
  json: (value) => (typeof value === "string" ? (JSON.parse(value) as unknown) : value),
  // A Buffer may be a part of a larger one, which it would keep in memory.
  bytes: (value) => (value instanceof Uint8Array ? new Uint8Array(value) : value),
};

const conversions: ReadonlyMap<string, Conversion> = new Map(Object.entries(convertedColumns));

/** A field of a row: the place of its value, and how it is read; null: the value is the same. */
interface Field {
  readonly place: number;
  readonly name: string;
  readonly read: ((value: unknown) => unknown) | null;
}

/**
 * Returns what makes the rows of a statement: it names columns in camelCase, and reads booleans, JSON and bytes; the keys of JSON values stay
 * as they are. A column that is selected as `object.name` becomes a field of that object, which is null when the first of its fields is: for
 * tables that are joined.
 * @param columns as the database names them
 */
export function createRowReader(columns: readonly string[]): RowReader {
  const fields: Field[] = [];
  const objects = new Map<string, Field[]>();
  for (const [place, column] of columns.entries()) {
    const [name = "", object] = toCamelCase(column).split(".").reverse();
    const conversion = conversions.get(name);
    const field = { place, name, read: conversion === undefined ? null : reading[conversion] };
    if (object === undefined) fields.push(field);
    else objects.set(object, [...(objects.get(object) ?? []), field]);
  }
  const readFields = createObjectReader(fields, [...objects.keys()]);
  if (objects.size === 0) return readFields;
  const joined = [...objects].map(([name, parts]) => {
    return { name, first: parts[0]?.place ?? 0, read: createObjectReader(parts) };
  });
  return (values) => {
    const row = readFields(values);
    for (const { name, first, read } of joined) row[name] = values[first] === null ? null : read(values);
    return row;
  };
}

/** @param others names of fields that are set afterwards */
function createObjectReader(fields: readonly Field[], others: readonly string[] = []): RowReader {
  // V8 copies an object that was read from JSON, and sets its fields, several times faster than it adds them one after the other.
  const names = [...fields.map(({ name }) => name), ...others];
  const blank = JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))),
  ) as ResultRow;
  return (values) => {
    const object = { ...blank };
    for (const { place, name, read } of fields)
      object[name] = read === null ? values[place] : read(values[place]);
    return object;
  };
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A list that a function of PostgreSQL receives as an array; any other list is stored as JSON text. */
export class SqlArray {
  constructor(private readonly values: readonly unknown[]) {}

  /** Called by the client of PostgreSQL. */
  toPostgres(): readonly unknown[] {
    return this.values;
  }
}

/** Returns the parameters of a statement as the databases store them: a boolean as 0 or 1, a list or an object as JSON text. */
export function toStored(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.some(isConverted)
    ? parameters.map((value) => (isConverted(value) ? converted(value) : value))
    : parameters;
}

function isConverted(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  return (
    typeof value === "object" && value !== null && !(value instanceof Uint8Array || value instanceof SqlArray)
  );
}

function converted(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
}
