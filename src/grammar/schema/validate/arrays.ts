import type { SchemaNode } from "../node.js";
import { canonical } from "./equality.js";
import type { Evaluated } from "./evaluated.js";
import { problem, type Judge, type Problem, type Spot } from "./judge.js";

/** The keywords of arrays; `unevaluatedItems` last, since all others evaluate before it. */
export function checkArray(
  node: SchemaNode,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  const { value } = spot;
  if (!Array.isArray(value)) return null;
  return (
    checkCounts(node, value, spot) ??
    checkItems(node, value, spot, evaluated, judge) ??
    checkContains(node, value, spot, evaluated, judge) ??
    checkUnevaluated(node, value, spot, evaluated, judge)
  );
}

function checkCounts(node: SchemaNode, items: readonly unknown[], spot: Spot): Problem | null {
  if (node.minItems !== undefined && items.length < node.minItems)
    return problem("minItems", node, spot, `must have at least ${node.minItems} items`);
  if (node.maxItems !== undefined && items.length > node.maxItems)
    return problem("maxItems", node, spot, `must have at most ${node.maxItems} items`);
  if (node.uniqueItems === true && new Set(items.map(canonical)).size < items.length)
    return problem("uniqueItems", node, spot, "must not have two equal items");
  return null;
}

function checkItems(
  node: SchemaNode,
  items: readonly unknown[],
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  for (const [index, item] of items.entries()) {
    const schema = node.prefixItems?.[index] ?? node.items;
    if (schema === undefined) break;
    const found = judge.judge(schema, itemSpot(spot, index, item), null);
    if (found !== null) return found;
    evaluated?.items.add(index);
  }
  return null;
}

function checkContains(
  node: SchemaNode,
  items: readonly unknown[],
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  if (node.contains === undefined) return null;
  const { node: schema, min, max, evaluates } = node.contains;
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (judge.judge(schema, itemSpot(spot, index, item), null) !== null) continue;
    count += 1;
    if (evaluates !== false) evaluated?.items.add(index);
  }
  if (count < min) return problem("contains", node, spot, `must have at least ${min} matching items`);
  if (max !== null && count > max)
    return problem("contains", node, spot, `must have at most ${max} matching items`);
  return null;
}

function checkUnevaluated(
  node: SchemaNode,
  items: readonly unknown[],
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  if (node.unevaluatedItems === undefined || evaluated === null) return null;
  for (const [index, item] of items.entries()) {
    if (evaluated.items.has(index)) continue;
    const found = judge.judge(node.unevaluatedItems, itemSpot(spot, index, item), null);
    if (found !== null) return found;
    evaluated.items.add(index);
  }
  return null;
}

function itemSpot(spot: Spot, index: number, value: unknown): Spot {
  return { value, pointer: `${spot.pointer}/${index}` };
}
