import type { SchemaLimits } from "./guards.js";
import type { SchemaNode } from "./node.js";
import { refusal } from "./resolve.js";

/** A subschema that applies to the same instance value as its parent, and the keyword that applies it. */
interface InPlaceSubschema {
  readonly keyword: string;
  readonly node: SchemaNode;
}

/** Returns the subschemas of a node that apply to the same instance value ("in-place applicators"). */
export function inPlaceSubschemas(node: SchemaNode): InPlaceSubschema[] {
  const found: InPlaceSubschema[] = [];
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

/**
 * Returns the subschemas of a node that apply to a child of the instance value: an item, a property value or
 * a property name.
 */
function childSubschemas(node: SchemaNode): SchemaNode[] {
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

/** Returns all nodes reachable from the root, `root` first. */
export function reachable(root: SchemaNode): ReadonlySet<SchemaNode> {
  const seen = new Set([root]);
  for (const node of seen) {
    for (const inner of inPlaceSubschemas(node)) seen.add(inner.node);
    for (const inner of childSubschemas(node)) seen.add(inner);
  }
  return seen;
}

/**
 * Rejects schemas that refer back to themselves without descending into the instance value, and in-place
 * chains longer than the limit.
 * @throws SchemaRefusal
 */
export function checkProgress(root: SchemaNode, limits: SchemaLimits): void {
  const depths = new Map<SchemaNode, number>();
  for (const start of reachable(root)) measure(start, depths, limits);
}

interface Frame {
  readonly node: SchemaNode;
  readonly next: InPlaceSubschema[];
  depth: number;
}

/**
 * Measures in-place depths by depth-first search with an explicit stack. `depths` holds the depth of finished
 * nodes and 0 for nodes that are still on the stack.
 */
function measure(start: SchemaNode, depths: Map<SchemaNode, number>, limits: SchemaLimits): void {
  if (depths.has(start)) return;
  const stack: Frame[] = [{ node: start, next: inPlaceSubschemas(start), depth: 1 }];
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
      stack.push({ node: edge.node, next: inPlaceSubschemas(edge.node), depth: 1 });
    }
  }
}

function deepen(frame: Frame, inner: number, limits: SchemaLimits): void {
  frame.depth = Math.max(frame.depth, inner + 1);
  if (frame.depth <= limits.inPlaceMax) return;
  throw refusal(
    `more than ${limits.inPlaceMax} nested schemas apply to the same value`,
    frame.node.pointer,
    null,
  );
}

function noProgress(node: SchemaNode, keyword: string): Error {
  return refusal(
    `${keyword} refers back to its own schema without descending into a property or an item`,
    node.pointer,
    keyword,
  );
}
