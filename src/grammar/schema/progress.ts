import type { SchemaLimits } from "./guards.js";
import type { SchemaNode } from "./node.js";
import { refusal } from "./resolve.js";

/** A schema that judges the same value as the one that names it, and the keyword that does. */
export interface InPlace {
  readonly keyword: string;
  readonly node: SchemaNode;
}

/** Every schema that a node holds against the very value it judges itself. */
export function inPlace(node: SchemaNode): InPlace[] {
  const found: InPlace[] = [];
  for (const keyword of ["ref", "not", "if", "then", "else"] as const) {
    const inner = node[keyword];
    if (inner !== undefined) found.push({ keyword: keyword === "ref" ? "$ref" : keyword, node: inner });
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const)
    for (const inner of node[keyword] ?? []) found.push({ keyword, node: inner });
  for (const inner of node.dependentSchemas?.values() ?? [])
    found.push({ keyword: "dependentSchemas", node: inner });
  return found;
}

/** Every schema that a node holds against a part of its value: an item, a property's value or name. */
function inParts(node: SchemaNode): SchemaNode[] {
  return [
    ...(node.prefixItems ?? []),
    ...(node.properties?.values() ?? []),
    ...(node.patternProperties ?? []).map((entry) => entry.node),
    ...[
      node.items,
      node.contains?.node,
      node.unevaluatedItems,
      node.additionalProperties,
      node.propertyNames,
      node.unevaluatedProperties,
    ].filter((inner) => inner !== undefined),
  ];
}

/** Every node that can be reached, `root` first. */
export function reachable(root: SchemaNode): ReadonlySet<SchemaNode> {
  const seen = new Set([root]);
  for (const node of seen) {
    for (const inner of inPlace(node)) seen.add(inner.node);
    for (const inner of inParts(node)) seen.add(inner);
  }
  return seen;
}

/**
 * A schema that comes back to itself without having gone into the value says nothing; one that goes through very many
 * others for the same value would take a stack as deep.
 * @throws SchemaRefusal for both
 */
export function checkProgress(root: SchemaNode, limits: SchemaLimits): void {
  const depths = new Map<SchemaNode, number>();
  for (const start of reachable(root)) measure(start, depths, limits);
}

interface Frame {
  readonly node: SchemaNode;
  readonly next: InPlace[];
  depth: number;
}

/** Depth first, on a stack of its own; `depths` has the finished nodes, 0 stands for one that is still open. */
function measure(start: SchemaNode, depths: Map<SchemaNode, number>, limits: SchemaLimits): void {
  if (depths.has(start)) return;
  const stack: Frame[] = [{ node: start, next: inPlace(start), depth: 1 }];
  depths.set(start, 0);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const edge = frame.next.pop();
    if (edge === undefined) {
      stack.pop();
      depths.set(frame.node, frame.depth);
      const outer = stack.at(-1);
      if (outer !== undefined) deepen(outer, frame.depth, limits);
      continue;
    }
    const known = depths.get(edge.node);
    if (known === 0) throw noProgress(frame.node, edge.keyword);
    if (known !== undefined) deepen(frame, known, limits);
    else {
      depths.set(edge.node, 0);
      stack.push({ node: edge.node, next: inPlace(edge.node), depth: 1 });
    }
  }
}

function deepen(frame: Frame, inner: number, limits: SchemaLimits): void {
  frame.depth = Math.max(frame.depth, inner + 1);
  if (frame.depth <= limits.inPlaceMax) return;
  throw refusal(
    `more than ${limits.inPlaceMax} schemas, one inside the other, judge the same value`,
    frame.node.pointer,
    null,
  );
}

function noProgress(node: SchemaNode, keyword: string): Error {
  return refusal(
    `${keyword} comes back to the schema it stands in without going into a property or an item`,
    node.pointer,
    keyword,
  );
}
