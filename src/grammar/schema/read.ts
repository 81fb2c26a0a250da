/**
 * Reads the client's JSON Schema document, in any draft from 4 to 2020-12, into the node graph of node.ts.
 * Documents that are too large or malformed are rejected with the keyword and location at fault. Subschemas
 * that nothing refers to are not read.
 */
import { dialectOf, type Dialect } from "./dialect.js";
import { guardDocument, schemaLimits, type SchemaLimits } from "./guards.js";
import { Keywords, type Counters, type NodeDraft } from "./keywords.js";
import type { SchemaNode } from "./node.js";
import { isObject, ownProperty, type SchemaLocation } from "./location.js";
import { checkProgress, reachable } from "./progress.js";
import { readArray } from "./read-array.js";
import { readCombined } from "./read-combined.js";
import { readObject } from "./read-object.js";
import { readScalar } from "./read-scalar.js";
import { SchemaRefusal } from "./refusal.js";
import { findReferences, refusal, type References, type RefKeyword } from "./resolve.js";

export interface ReadOptions {
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
  const declared = dialectOf(document);
  const siblings = declared.refStandsAlone && options.refSiblings === true;
  const dialect = { ...declared, readsRefSiblings: siblings || !declared.refStandsAlone };
  const root = graphOf(findReferences(document, dialect), dialect, limits);
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
function graphOf(references: References, dialect: ReadDialect, limits: SchemaLimits): SchemaNode {
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

  const targetOf = (location: SchemaLocation, keyword: RefKeyword): SchemaNode => {
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
    fill(node, location, { dialect, limits, counters, child, targetOf });
  }
  return root;
}

interface ReadDialect extends Dialect {
  readonly readsRefSiblings: boolean;
}

interface FillContext {
  readonly dialect: ReadDialect;
  readonly limits: SchemaLimits;
  readonly counters: Counters;
  readonly child: (...tokens: readonly (string | number)[]) => SchemaNode;
  readonly targetOf: (location: SchemaLocation, keyword: RefKeyword) => SchemaNode;
}

function fill(node: NodeDraft, location: SchemaLocation, filling: FillContext): void {
  const { value, pointer } = location;
  if (typeof value === "boolean") {
    node.always = value;
    return;
  }
  if (!isObject(value)) throw refusal("a schema must be an object, true or false", pointer, null);
  if (ownProperty(value, "$ref") !== undefined) node.ref = filling.targetOf(location, "$ref");
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
    const target = filling.targetOf(location, keyword);
    if (node.ref === undefined) node.ref = target;
    else node.allOf = [...(node.allOf ?? []), { pointer: `${pointer}/${keyword}`, ref: target }];
  }
}
