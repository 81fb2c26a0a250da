/** What little the call formats ask of a tool's schema: the properties it declares and the types they take. */
import type { Tool } from "../../../core/generation.js";

/** The declared properties, in order. */
export function propertiesOf(tool: Tool): readonly (readonly [string, unknown])[] {
  const { properties } = tool.parameters;
  return isObject(properties) ? Object.entries(properties) : [];
}

export function propertyOf(tool: Tool, name: string): unknown {
  const { properties } = tool.parameters;
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export function requiredOf(tool: Tool): ReadonlySet<unknown> {
  const { required } = tool.parameters;
  return new Set(Array.isArray(required) ? (required as readonly unknown[]) : []);
}

/** The JSON types that a schema takes by its `type` or its `enum`; null when it does not say. */
export function typesOf(schema: unknown): ReadonlySet<string> | null {
  if (!isObject(schema)) return null;
  const { type } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((item) => typeof item === "string"));
  const values = valuesOf(schema);
  return values === null ? null : new Set(values.map((value) => (value === null ? "null" : typeof value)));
}

/** The values of `enum` or `const`; null when the schema has neither. */
export function valuesOf(schema: unknown): readonly unknown[] | null {
  if (!isObject(schema)) return null;
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as readonly unknown[]) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
