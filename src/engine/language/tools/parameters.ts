/** Reads the parts of a tool's schema that call formats need: the declared properties and their types. */
import { ExactNumber } from "../../../grammar/regular/number/decimal.js";
import { parseSchemaText } from "../../../grammar/schema/json-text.js";
import type { Tool } from "../../../core/generation.js";

/** Returns the declared properties, in order. Numbers that a double does not keep are instances of ExactNumber. */
export function listProperties(tool: Tool): readonly (readonly [string, unknown])[] {
  const { properties } = readParameters(tool);
  return isObject(properties) ? Object.entries(properties) : [];
}

export function findProperty(tool: Tool, name: string): unknown {
  const { properties } = tool.parameters;
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Returns the schema of a property of an object; undefined: it has no such property. */
export function propertyIn(schema: unknown, name: string): unknown {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Returns the schema of a list's items; undefined: any item is allowed. */
export function findItemSchema(schema: unknown): unknown {
  return isObject(schema) ? schema["items"] : undefined;
}

export function listRequired(tool: Tool): ReadonlySet<unknown> {
  const { required } = tool.parameters;
  return new Set(Array.isArray(required) ? (required as readonly unknown[]) : []);
}

/** Returns the JSON types that a schema allows by its `type` or `enum`; null when it has neither. */
export function listTypes(schema: unknown): ReadonlySet<string> | null {
  if (!isObject(schema)) return null;
  const { type } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((item) => typeof item === "string"));
  const values = listValues(schema);
  return values === null ? null : new Set(values.map(nameType));
}

function readParameters({ parameters, parametersText }: Tool): Tool["parameters"] {
  return parametersText === undefined ? parameters : (parseSchemaText(parametersText) as Tool["parameters"]);
}

function nameType(value: unknown): string {
  if (value instanceof ExactNumber) return "number";
  return value === null ? "null" : typeof value;
}

/** Returns the values of `enum` or `const`; null when the schema has neither. */
export function listValues(schema: unknown): readonly unknown[] | null {
  if (!isObject(schema)) return null;
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as readonly unknown[]) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
