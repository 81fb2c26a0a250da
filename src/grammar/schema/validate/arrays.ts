import type { SchemaNode } from "../node.js";
import { canonicalText } from "./equality.js";
import type { EvaluatedParts } from "./evaluated.js";
import { problem, type Evaluator, type Problem, type InstanceLocation } from "./evaluator.js";

/** Checks the keywords of arrays. `unevaluatedItems` comes last because it depends on all others. */
export function checkArray(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  const { value } = location;
  if (!Array.isArray(value)) return null;
  return (
    checkCounts(node, value, location) ??
    checkItems(node, value, location, evaluated, evaluator) ??
    checkContains(node, value, location, evaluated, evaluator) ??
    checkUnevaluated(node, value, location, evaluated, evaluator)
  );
}

function checkCounts(
  node: SchemaNode,
  items: readonly unknown[],
  location: InstanceLocation,
): Problem | null {
  if (node.minItems !== undefined && items.length < node.minItems)
    return problem("minItems", node, location, `must have at least ${node.minItems} items`);
  if (node.maxItems !== undefined && items.length > node.maxItems)
    return problem("maxItems", node, location, `must have at most ${node.maxItems} items`);
  if (node.uniqueItems === true && new Set(items.map(canonicalText)).size < items.length)
    return problem("uniqueItems", node, location, "must not have two equal items");
  return null;
}

function checkItems(
  node: SchemaNode,
  items: readonly unknown[],
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  for (const [index, item] of items.entries()) {
    const schema = node.prefixItems?.[index] ?? node.items;
    if (schema === undefined) break;
    const found = evaluator.evaluate(schema, itemLocation(location, index, item), null);
    if (found !== null) return found;
    evaluated?.items.add(index);
  }
  return null;
}

function checkContains(
  node: SchemaNode,
  items: readonly unknown[],
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.contains === undefined) return null;
  const { node: schema, min, max, evaluates } = node.contains;
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (evaluator.evaluate(schema, itemLocation(location, index, item), null) !== null) continue;
    count += 1;
    if (evaluates) evaluated?.items.add(index);
  }
  if (count < min) return problem("contains", node, location, `must have at least ${min} matching items`);
  if (max !== null && count > max)
    return problem("contains", node, location, `must have at most ${max} matching items`);
  return null;
}

function checkUnevaluated(
  node: SchemaNode,
  items: readonly unknown[],
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.unevaluatedItems === undefined || evaluated === null) return null;
  for (const [index, item] of items.entries()) {
    if (evaluated.items.has(index)) continue;
    const found = evaluator.evaluate(node.unevaluatedItems, itemLocation(location, index, item), null);
    if (found !== null) return found;
    evaluated.items.add(index);
  }
  return null;
}

function itemLocation(location: InstanceLocation, index: number, value: unknown): InstanceLocation {
  return { value, pointer: `${location.pointer}/${index}` };
}
