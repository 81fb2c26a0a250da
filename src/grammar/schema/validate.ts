/**
 * Validates instances against a schema as the JSON Schema standard defines. It generates no code and does not
 * use JavaScript's regular expressions: patterns and formats are automata, so matching takes time linear in
 * the text. Steps and depth are bounded; exceeding a bound is reported as a problem, never as valid. It is
 * independent of the grammar that generated the instance.
 */
import { spend } from "../work.js";
import type { SchemaNode } from "./node.js";
import { reachable } from "./progress.js";
import { checkArray } from "./validate/arrays.js";
import { checkCombined } from "./validate/combined.js";
import { measureDepth } from "./validate/equality.js";
import { EvaluatedParts } from "./validate/evaluated.js";
import type { Evaluator, Problem, InstanceLocation } from "./validate/evaluator.js";
import { checkObject } from "./validate/objects.js";
import { compilePatterns, type Patterns } from "./validate/patterns.js";
import { checkScalar } from "./validate/scalars.js";
import { createValueSets, type ValueSets } from "./validate/values.js";

export type { Problem } from "./validate/evaluator.js";

/** The nesting depth that an instance may have. */
const depthMax = 256;
/**
 * The nesting depth of evaluations: a schema within a schema, for the same value or a child of it. Each level
 * takes five stack frames; with unoptimised code the stack overflows at about 1100 levels.
 */
const nestingMax = 700;
/** Steps of one validation: subschemas applied to values, and texts matched against patterns. */
const stepsMax = 2_000_000;
/** What one of them costs a conversion that is metered. */
const stepsOfEvaluation = 4;

/**
 * Validates a value against the schema, or against `node`, one of its subschemas.
 * @returns null when the value is valid, otherwise the first problem found
 */
export type Validator = (value: unknown, node?: SchemaNode) => Problem | null;

/** Creates a validator for a schema. @throws SchemaRefusal for a pattern that cannot be decided exactly */
export function createValidator(root: SchemaNode): Validator {
  const nodes = reachable(root);
  const facts: SchemaFacts = {
    patterns: compilePatterns(nodes),
    values: createValueSets(),
    evaluating: [...nodes].some(
      (node) => node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined,
    ),
    shared: sharedNodes(nodes),
  };
  return (value, node = root) => {
    if (measureDepth(value, depthMax) > depthMax)
      return limitProblem("", `more than ${depthMax} levels deep`);
    try {
      return createEvaluator(facts).evaluate(node, { value, pointer: "" }, null);
    } catch (thrown) {
      if (thrown instanceof BoundReached) return limitProblem(thrown.pointer, thrown.message);
      throw thrown;
    }
  };
}

/** Validates one value. @throws SchemaRefusal as createValidator does */
export function validate(node: SchemaNode, value: unknown): Problem | null {
  return createValidator(node)(value);
}

interface SchemaFacts {
  readonly patterns: Patterns;
  readonly values: ValueSets;
  /** Whether the schema has `unevaluated` keywords, so that evaluated names and items must be tracked. */
  readonly evaluating: boolean;
  /**
   * The targets of references. Their results are memoized per location; otherwise diamond-shaped references
   * would take exponential time.
   */
  readonly shared: ReadonlySet<SchemaNode>;
}

class BoundReached extends Error {
  constructor(
    message: string,
    readonly pointer: string,
  ) {
    super(message);
  }
}

interface Result {
  readonly problem: Problem | null;
  readonly evaluated: EvaluatedParts | null;
}

function createEvaluator(facts: SchemaFacts): Evaluator {
  const memo = new Map<SchemaNode, Map<string, Result>>();
  let nesting = 0;
  let steps = 0;
  const countStep = (location: InstanceLocation): void => {
    steps += 1;
    spend(stepsOfEvaluation);
    if (steps > stepsMax) throw new BoundReached("too many steps to validate", location.pointer);
  };
  const decide = (
    node: SchemaNode,
    location: InstanceLocation,
    evaluated: EvaluatedParts | null,
  ): Problem | null => {
    nesting += 1;
    if (nesting > nestingMax) throw new BoundReached("too deeply nested to validate", location.pointer);
    const problem = check(node, location, evaluated, evaluator);
    nesting -= 1;
    return problem;
  };
  const decideOnce = (node: SchemaNode, location: InstanceLocation): Result => {
    const locations = memo.get(node) ?? new Map<string, Result>();
    memo.set(node, locations);
    const before = locations.get(location.pointer);
    if (before !== undefined) return before;
    const evaluated = facts.evaluating ? new EvaluatedParts() : null;
    const result = { problem: decide(node, location, evaluated), evaluated };
    locations.set(location.pointer, result);
    return result;
  };
  const evaluator: Evaluator = {
    patterns: facts.patterns,
    values: facts.values,
    countStep,
    evaluate(node, location, into) {
      countStep(location);
      if (facts.shared.has(node)) {
        const { problem, evaluated } = decideOnce(node, location);
        if (problem === null && evaluated !== null) into?.add(evaluated);
        return problem;
      }
      const evaluated = facts.evaluating ? new EvaluatedParts() : null;
      const problem = decide(node, location, evaluated);
      if (problem === null && evaluated !== null) into?.add(evaluated);
      return problem;
    },
  };
  return evaluator;
}

function check(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.always === true) return null;
  if (node.always === false)
    return {
      keyword: "false",
      schemaPointer: node.pointer,
      instancePointer: location.pointer,
      message: "no value is allowed here",
    };
  return (
    checkScalar(node, location, evaluator) ??
    checkCombined(node, location, evaluated, evaluator) ??
    checkArray(node, location, evaluated, evaluator) ??
    checkObject(node, location, evaluated, evaluator)
  );
}

function sharedNodes(nodes: ReadonlySet<SchemaNode>): ReadonlySet<SchemaNode> {
  const shared = new Set<SchemaNode>();
  for (const node of nodes) if (node.ref !== undefined) shared.add(node.ref);
  return shared;
}

function limitProblem(instancePointer: string, message: string): Problem {
  return { keyword: "limit", schemaPointer: "", instancePointer, message };
}
