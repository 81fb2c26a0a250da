import type { Keywords, NodeDraft } from "./keywords.js";
import type { SchemaNode } from "./node.js";
import { isArray } from "./location.js";

/** Reads the keywords of objects. */
export function readObject(node: NodeDraft, keywords: Keywords): void {
  const properties = keywords.schemaMap("properties");
  const required = keywords.stringArray("required");
  const additional = keywords.schema("additionalProperties");
  const names = keywords.schema("propertyNames");
  const minProperties = keywords.count("minProperties");
  const maxProperties = keywords.count("maxProperties");
  const unevaluated = keywords.schema("unevaluatedProperties");
  if (properties !== undefined) {
    keywords.countProperties(properties.size);
    node.properties = properties;
  }
  if (required !== undefined) node.required = new Set(required);
  if (additional !== undefined) node.additionalProperties = additional;
  if (names !== undefined) node.propertyNames = names;
  if (minProperties !== undefined) node.minProperties = minProperties;
  if (maxProperties !== undefined) node.maxProperties = maxProperties;
  if (unevaluated !== undefined) node.unevaluatedProperties = unevaluated;
  readPatterns(node, keywords);
  readDependent(node, keywords);
}

function readPatterns(node: NodeDraft, keywords: Keywords): void {
  const patterns = keywords.schemaMap("patternProperties");
  if (patterns === undefined) return;
  keywords.countProperties(patterns.size);
  for (const source of patterns.keys()) keywords.checkPattern(source, "patternProperties");
  node.patternProperties = [...patterns].map(([pattern, value]) => ({ pattern, node: value }));
}

/**
 * Reads the dependency keywords. `dependencies` of older drafts combines `dependentRequired` and
 * `dependentSchemas`; if it occurs together with them, it becomes a separate node in `allOf`.
 */
function readDependent(node: NodeDraft, keywords: Keywords): void {
  const schemas = keywords.schemaMap("dependentSchemas");
  const required = namesByName(keywords, "dependentRequired");
  if (schemas !== undefined) node.dependentSchemas = schemas;
  if (required !== undefined) node.dependentRequired = required;
  const older = readDependencies(keywords);
  if (older === undefined) return;
  if (schemas === undefined && required === undefined) Object.assign(node, older);
  else node.allOf = [...(node.allOf ?? []), { pointer: `${keywords.pointer}/dependencies`, ...older }];
}

function readDependencies(
  keywords: Keywords,
): Pick<SchemaNode, "dependentRequired" | "dependentSchemas"> | undefined {
  const dependencies = keywords.map("dependencies");
  if (dependencies === undefined) return undefined;
  const required = new Map<string, readonly string[]>();
  const schemas = new Map<string, SchemaNode>();
  for (const [name, value] of dependencies)
    if (isArray(value)) required.set(name, stringArrayOf(value, keywords, "dependencies"));
    else schemas.set(name, keywords.schemaIn("dependencies", name));
  return {
    ...(required.size > 0 ? { dependentRequired: required } : {}),
    ...(schemas.size > 0 ? { dependentSchemas: schemas } : {}),
  };
}

function namesByName(
  keywords: Keywords,
  keyword: string,
): ReadonlyMap<string, readonly string[]> | undefined {
  const map = keywords.map(keyword);
  return map && new Map([...map].map(([name, value]) => [name, stringArrayOf(value, keywords, keyword)]));
}

function stringArrayOf(value: unknown, keywords: Keywords, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw keywords.malformed(keyword, "an object whose values are arrays of strings");
}
