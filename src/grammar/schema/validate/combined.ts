import type { SchemaNode } from "../node.js";
import type { Evaluated } from "./evaluated.js";
import { problem, type Judge, type Problem, type Spot } from "./judge.js";

/** `$ref` and the keywords that hold other schemas against the same value. */
export function checkCombined(
  node: SchemaNode,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  const inner = node.ref === undefined ? null : judge.judge(node.ref, spot, evaluated);
  if (inner !== null) return inner;
  for (const part of node.allOf ?? []) {
    const found = judge.judge(part, spot, evaluated);
    if (found !== null) return found;
  }
  if (node.not !== undefined && judge.judge(node.not, spot, null) === null)
    return problem("not", node, spot, "must not match the schema in not");
  return (
    checkAny(node, spot, evaluated, judge) ??
    checkOne(node, spot, evaluated, judge) ??
    checkCondition(node, spot, evaluated, judge)
  );
}

function checkAny(node: SchemaNode, spot: Spot, evaluated: Evaluated | null, judge: Judge): Problem | null {
  if (node.anyOf === undefined) return null;
  let nearest: Problem | null = null;
  let passed = false;
  for (const part of node.anyOf) {
    const found = judge.judge(part, spot, evaluated);
    nearest ??= found;
    passed ||= found === null;
    // What the others evaluate counts as well, but only where somebody asks.
    if (passed && evaluated === null) return null;
  }
  if (passed) return null;
  return node.anyOf.length === 1 && nearest !== null
    ? nearest
    : problem("anyOf", node, spot, `must match one of the ${node.anyOf.length} schemas in anyOf`);
}

function checkOne(node: SchemaNode, spot: Spot, evaluated: Evaluated | null, judge: Judge): Problem | null {
  if (node.oneOf === undefined) return null;
  let passed = 0;
  for (const part of node.oneOf) {
    if (judge.judge(part, spot, evaluated) === null) passed += 1;
    if (passed > 1) break;
  }
  if (passed === 1) return null;
  const count = passed === 0 ? "it matches none" : "it matches more than one";
  return problem("oneOf", node, spot, `must match exactly one of the schemas in oneOf, ${count}`);
}

function checkCondition(
  node: SchemaNode,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  if (node.if === undefined) return null;
  const met = judge.judge(node.if, spot, evaluated) === null;
  const then = met ? node.then : node.else;
  return then === undefined ? null : judge.judge(then, spot, evaluated);
}
