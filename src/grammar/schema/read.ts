/**
 * Reads the client's JSON Schema document, in any draft from 4 to 2020-12, into the node graph of node.ts.
 * Documents that are too large or malformed are rejected with the keyword and location at fault. Subschemas
 * that nothing refers to are not read.
 */
import { readSchemaDialect, type SchemaDialect } from "./dialect.js";
import { guardDocument, schemaLimits, type SchemaLimits } from "./guards.js";
import { Keywords, type Counters, type NodeDraft } from "./keywords.js";
import type { SchemaNode } from "./node.js";
import { isObject, ownProperty, type SchemaLocation, isArray } from "./location.js";
import { checkProgress, reachable } from "./progress.js";
import { readScalar } from "./read-scalar.js";
import { SchemaRefusal } from "./refusal.js";
import { findReferences, refusal, type References, type RefKeyword } from "./resolve.js";

interface ReadOptions {
  readonly limits?: Partial<SchemaLimits>;
  /** Whether the siblings of `$ref` apply also in the drafts that ignore them. */
  readonly refSiblings?: boolean;
}

/**
 * Returns the root node of a schema. @throws SchemaRefusal, and nothing else, for a document that cannot be
 * read
 */
export function readSchema(schema: unknown, options: ReadOptions = {}): SchemaNode {
  const limits = { ...schemaLimits, ...options.limits };
  const document = guardDocument(schema, limits);
  const declared = readSchemaDialect(document);
  const siblings = declared.refStandsAlone && options.refSiblings === true;
  const dialect = { ...declared, readsRefSiblings: siblings || !declared.refStandsAlone };
  const root = buildGraph(findReferences(document, dialect), dialect, limits);
  checkProgress(root, limits);
  return root;
}

/**
 * Returns the graphs that a conversion may use, the preferred one first. The drafts up to 7 ignore the siblings
 * of `$ref` and their authors often mean them, so the first graph has them; the last is the standard's.
 * @throws SchemaRefusal for a document that cannot be read
 */
export function schemaReadings(schema: unknown): readonly [SchemaNode, ...SchemaNode[]] {
  const both = withRefSiblings(schema);
  if (both === null) return [readSchema(schema)];
  const differs = [...reachable(both)].some((node) => node.refStandsAlone === true);
  return differs ? [both, readSchema(schema)] : [both];
}

/** Returns null if the siblings of a `$ref` are no schema; they may be anything where the draft ignores them. */
function withRefSiblings(schema: unknown): SchemaNode | null {
  try {
    return readSchema(schema, { refSiblings: true });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

/**
 * Builds one node per location. Locations wait in a list instead of being read recursively, so depth uses no
 * stack.
 */
function buildGraph(references: References, dialect: ReadDialect, limits: SchemaLimits): SchemaNode {
  const nodes = new Map<string, NodeDraft>();
  const pending: { readonly location: SchemaLocation; readonly node: NodeDraft }[] = [];
  const targets = new Set<string>();
  const counters: Counters = { properties: 0, enumValues: 0, enumBytes: 0 };

  const nodeAt = (location: SchemaLocation): SchemaNode => {
    const known = nodes.get(location.pointer);
    if (known !== undefined) return known;
    const node: NodeDraft = { pointer: location.pointer };
    nodes.set(location.pointer, node);
    pending.push({ location, node });
    return node;
  };

  const findTarget = (location: SchemaLocation, keyword: RefKeyword): SchemaNode => {
    const target = references.target(location, keyword);
    targets.add(target.pointer);
    if (targets.size > limits.refsMax)
      throw refusal(
        `the schema refers to more than ${limits.refsMax} different subschemas`,
        location.pointer,
        keyword,
      );
    return nodeAt(target);
  };

  const root = nodeAt(references.root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { location, node } = next;
    const child = (...tokens: readonly (string | number)[]): SchemaNode =>
      nodeAt(references.inside(location, ...tokens));
    fill(node, location, { dialect, limits, counters, child, findTarget });
  }
  return root;
}

interface ReadDialect extends SchemaDialect {
  readonly readsRefSiblings: boolean;
}

interface FillContext {
  readonly dialect: ReadDialect;
  readonly limits: SchemaLimits;
  readonly counters: Counters;
  readonly child: (...tokens: readonly (string | number)[]) => SchemaNode;
  readonly findTarget: (location: SchemaLocation, keyword: RefKeyword) => SchemaNode;
}

function fill(node: NodeDraft, location: SchemaLocation, filling: FillContext): void {
  const { value, pointer } = location;
  if (typeof value === "boolean") {
    node.always = value;
    return;
  }
  if (!isObject(value)) throw refusal("a schema must be an object, true or false", pointer, null);
  if (ownProperty(value, "$ref") !== undefined) node.ref = filling.findTarget(location, "$ref");
  if (node.ref !== undefined && !filling.dialect.readsRefSiblings) return;
  const keywords = new Keywords(value, pointer, filling);
  readScalar(node, keywords);
  readArray(node, keywords, filling.dialect);
  readObject(node, keywords);
  readCombined(node, keywords);
  const siblings = Object.keys(node).length > 2;
  if (node.ref !== undefined && siblings && filling.dialect.refStandsAlone) node.refStandsAlone = true;
  for (const keyword of ["$dynamicRef", "$recursiveRef"] as const) {
    if (keywords.raw(keyword) === undefined) continue;
    const target = filling.findTarget(location, keyword);
    if (node.ref === undefined) node.ref = target;
    else node.allOf = [...(node.allOf ?? []), { pointer: `${pointer}/${keyword}`, ref: target }];
  }
}

/** Reads the keywords that apply other schemas to the same value. */
function readCombined(node: NodeDraft, keywords: Keywords): void {
  const allOf = keywords.schemas("allOf");
  const anyOf = keywords.schemas("anyOf");
  const oneOf = keywords.schemas("oneOf");
  const not = keywords.schema("not");
  if (allOf !== undefined) node.allOf = [...(node.allOf ?? []), ...allOf];
  if (anyOf !== undefined) node.anyOf = anyOf;
  if (oneOf !== undefined) node.oneOf = oneOf;
  if (not !== undefined) node.not = not;
  const condition = keywords.schema("if");
  if (condition === undefined) return;
  const met = keywords.schema("then");
  const unmet = keywords.schema("else");
  node.if = condition;
  if (met !== undefined) node.then = met;
  if (unmet !== undefined) node.else = unmet;
}

/** Reads the keywords of arrays. Tuples of older drafts become `prefixItems` and `items`. */
function readArray(node: NodeDraft, keywords: Keywords, dialect: SchemaDialect): void {
  const prefixItems = keywords.schemas("prefixItems");
  const tuple = isArray(keywords.raw("items"));
  if (prefixItems !== undefined) node.prefixItems = prefixItems;
  if (tuple && prefixItems !== undefined)
    throw keywords.malformed("items", "a schema when prefixItems is present");
  if (tuple) readTuple(node, keywords);
  else {
    const items = keywords.schema("items");
    if (items !== undefined) node.items = items;
  }
  const minItems = keywords.count("minItems");
  const maxItems = keywords.count("maxItems");
  const uniqueItems = keywords.flag("uniqueItems");
  const unevaluatedItems = keywords.schema("unevaluatedItems");
  if (minItems !== undefined) node.minItems = minItems;
  if (maxItems !== undefined) node.maxItems = maxItems;
  if (uniqueItems === true) node.uniqueItems = true;
  if (unevaluatedItems !== undefined) node.unevaluatedItems = unevaluatedItems;
  readContains(node, keywords, dialect);
}

function readTuple(node: NodeDraft, keywords: Keywords): void {
  const tuple = keywords.list("items");
  const rest = keywords.schema("additionalItems");
  if (tuple !== undefined && tuple.length > 0)
    node.prefixItems = tuple.map((_, index) => keywords.schemaIn("items", index));
  if (rest !== undefined) node.items = rest;
}

function readContains(node: NodeDraft, keywords: Keywords, dialect: SchemaDialect): void {
  const contains = keywords.schema("contains");
  const min = keywords.count("minContains") ?? 1;
  const max = keywords.count("maxContains") ?? null;
  if (contains === undefined) return;
  node.contains = { node: contains, min, max, evaluates: dialect.containsEvaluates };
}

/** Reads the keywords of objects. */
function readObject(node: NodeDraft, keywords: Keywords): void {
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

function readDependencies(keywords: Keywords) {
  const dependencies = keywords.map("dependencies");
  if (dependencies === undefined) return undefined;
  const required = new Map<string, readonly string[]>();
  const schemas = new Map<string, SchemaNode>();
  for (const [name, value] of dependencies)
    if (isArray(value)) required.set(name, readStringArray(value, keywords, "dependencies"));
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
  return map && new Map([...map].map(([name, value]) => [name, readStringArray(value, keywords, keyword)]));
}

function readStringArray(value: unknown, keywords: Keywords, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw keywords.malformed(keyword, "an object whose values are arrays of strings");
}
