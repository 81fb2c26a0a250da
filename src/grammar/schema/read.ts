/**
 * Reading a JSON Schema: the client's document, in any draft from 4 to 2020-12, becomes the graph of node.ts, with what is
 * too large, malformed or out of reach refused by keyword and place. It decides what a document says and nothing about what
 * is generated: combining schemas is lower/'s work, judging instances validate.ts's. What no reference reaches is not read.
 */
import { dialectOf, type Dialect } from "./dialect.js";
import { guardDocument, schemaLimits, type SchemaLimits } from "./guards.js";
import { Keywords, type Counters, type NodeDraft } from "./keywords.js";
import type { SchemaNode } from "./node.js";
import { isObject, own, type Place } from "./place.js";
import { checkProgress } from "./progress.js";
import { readArray } from "./read-array.js";
import { readCombined } from "./read-combined.js";
import { readObject } from "./read-object.js";
import { readScalar } from "./read-scalar.js";
import { referencesOf, refusal, type References, type RefKeyword } from "./resolve.js";

export interface ReadOptions {
  readonly limits?: Partial<SchemaLimits>;
}

/** @throws SchemaRefusal, and nothing else, for every document that cannot be read as it stands */
export function readSchema(schema: unknown, options: ReadOptions = {}): SchemaNode {
  const limits = { ...schemaLimits, ...options.limits };
  const document = guardDocument(schema, limits);
  const dialect = dialectOf(document);
  const root = graphOf(referencesOf(document, dialect), dialect, limits);
  checkProgress(root, limits);
  return root;
}

/** One node for each place, filled from a list of those still to be filled: depth costs no stack. */
function graphOf(references: References, dialect: Dialect, limits: SchemaLimits): SchemaNode {
  const nodes = new Map<string, NodeDraft>();
  const pending: { readonly place: Place; readonly node: NodeDraft }[] = [];
  const targets = new Set<string>();
  const counters: Counters = { properties: 0, enumValues: 0, enumBytes: 0 };

  const nodeAt = (place: Place): SchemaNode => {
    const known = nodes.get(place.pointer);
    if (known !== undefined) return known;
    const node: NodeDraft = { pointer: place.pointer };
    nodes.set(place.pointer, node);
    pending.push({ place, node });
    return node;
  };

  const targetOf = (place: Place, keyword: RefKeyword): SchemaNode => {
    const target = references.target(place, keyword);
    targets.add(target.pointer);
    if (targets.size > limits.refsMax)
      throw refusal(
        `the schema refers to more than ${limits.refsMax} different subschemas`,
        place.pointer,
        keyword,
      );
    return nodeAt(target);
  };

  const root = nodeAt(references.root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { place, node } = next;
    const child = (...tokens: readonly (string | number)[]): SchemaNode =>
      nodeAt(references.inside(place, ...tokens));
    fill(node, place, { dialect, limits, counters, child, targetOf });
  }
  return root;
}

interface Filling {
  readonly dialect: Dialect;
  readonly limits: SchemaLimits;
  readonly counters: Counters;
  readonly child: (...tokens: readonly (string | number)[]) => SchemaNode;
  readonly targetOf: (place: Place, keyword: RefKeyword) => SchemaNode;
}

function fill(node: NodeDraft, place: Place, filling: Filling): void {
  const { value, pointer } = place;
  if (typeof value === "boolean") {
    node.always = value;
    return;
  }
  if (!isObject(value)) throw refusal("a schema must be an object, true or false", pointer, null);
  if (own(value, "$ref") !== undefined) node.ref = filling.targetOf(place, "$ref");
  if (node.ref !== undefined && filling.dialect.refStandsAlone) return;
  const keywords = new Keywords(value, pointer, filling);
  readScalar(node, keywords);
  readArray(node, keywords, filling.dialect);
  readObject(node, keywords);
  readCombined(node, keywords);
  for (const keyword of ["$dynamicRef", "$recursiveRef"] as const) {
    if (keywords.raw(keyword) === undefined) continue;
    const target = filling.targetOf(place, keyword);
    if (node.ref === undefined) node.ref = target;
    else node.allOf = [...(node.allOf ?? []), { pointer: `${pointer}/${keyword}`, ref: target }];
  }
}
