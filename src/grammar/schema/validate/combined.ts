import type { SchemaNode } from "../node.js";
import type { EvaluatedParts } from "./evaluated.js";
import { problem, type Evaluator, type Problem, type InstanceLocation } from "./evaluator.js";

/** Checks `$ref` and the keywords that apply other schemas to the same value. */
export function checkCombined(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  const inner = node.ref === undefined ? null : evaluator.evaluate(node.ref, location, evaluated);
  if (inner !== null) return inner;
  for (const part of node.allOf ?? []) {
    const found = evaluator.evaluate(part, location, evaluated);
    if (found !== null) return found;
  }
  if (node.not !== undefined && evaluator.evaluate(node.not, location, null) === null)
    return problem("not", node, location, "must not match the schema in not");
  return (
    checkAny(node, location, evaluated, evaluator) ??
    checkOne(node, location, evaluated, evaluator) ??
    checkCondition(node, location, evaluated, evaluator)
  );
}

function checkAny(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.anyOf === undefined) return null;
  let nearest: Problem | null = null;
  let passed = false;
  for (const part of node.anyOf) {
    const found = evaluator.evaluate(part, location, evaluated);
    nearest ??= found;
    passed ||= found === null;
    // The other branches evaluate names and items too, which matters only if evaluation is tracked.
    if (passed && evaluated === null) return null;
  }
  if (passed) return null;
  return node.anyOf.length === 1 && nearest !== null
    ? nearest
    : problem("anyOf", node, location, `must match one of the ${node.anyOf.length} schemas in anyOf`);
}

function checkOne(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.oneOf === undefined) return null;
  let passed = 0;
  for (const part of node.oneOf) {
    if (evaluator.evaluate(part, location, evaluated) === null) passed += 1;
    if (passed > 1) break;
  }
  if (passed === 1) return null;
  const count = passed === 0 ? "it matches none" : "it matches more than one";
  return problem("oneOf", node, location, `must match exactly one of the schemas in oneOf, ${count}`);
}

function checkCondition(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.if === undefined) return null;
  const met = evaluator.evaluate(node.if, location, evaluated) === null;
  const then = met ? node.then : node.else;
  return then === undefined ? null : evaluator.evaluate(then, location, evaluated);
}
