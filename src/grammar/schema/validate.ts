/**
 * Judging an instance by a schema as the standard has it, without code generation and without JavaScript's regular
 * expressions: patterns and formats are automata, so a text costs time in proportion to its length; steps and depth are
 * bounded, and what cannot be decided within the bounds is a problem and not a pass. It never asks how a grammar was built.
 */
import type { SchemaNode } from "./node.js";
import { reachable } from "./progress.js";
import { checkArray } from "./validate/arrays.js";
import { checkCombined } from "./validate/combined.js";
import { depthOf } from "./validate/equality.js";
import { Evaluated } from "./validate/evaluated.js";
import type { Judge, Problem, Spot } from "./validate/judge.js";
import { checkObject } from "./validate/objects.js";
import { compilePatterns, type Patterns } from "./validate/patterns.js";
import { checkScalar } from "./validate/scalars.js";
import { valueSets, type ValueSets } from "./validate/values.js";

export type { Problem } from "./validate/judge.js";

/** Values inside one another that an instance may have. */
const depthMax = 256;
/**
 * Evaluations inside one another: a schema within a schema, for the same value or a part of it. Each is five frames of the stack, and
 * frames of code that was not optimised yet fill it at about 1100 of them.
 */
const nestingMax = 700;
/** Subschemas held against values and texts against patterns, in one judgement. */
const stepsMax = 2_000_000;

/**
 * Judges a value by the schema, or by `node`, one of those that it is made of.
 * @returns null when the value is valid, otherwise the first thing found wrong
 */
export type Validator = (value: unknown, node?: SchemaNode) => Problem | null;

/** @throws SchemaRefusal for a pattern that cannot be decided exactly */
export function createValidator(root: SchemaNode): Validator {
  const nodes = reachable(root);
  const known: Known = {
    patterns: compilePatterns(nodes),
    values: valueSets(nodes),
    evaluating: [...nodes].some(
      (node) => node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined,
    ),
    shared: sharedNodes(nodes),
  };
  return (value, node = root) => {
    if (depthOf(value, depthMax) > depthMax) return tooMuch("", `more than ${depthMax} levels deep`);
    try {
      return judgeOf(known).judge(node, { value, pointer: "" }, null);
    } catch (thrown) {
      if (thrown instanceof BoundReached) return tooMuch(thrown.pointer, thrown.message);
      throw thrown;
    }
  };
}

/** Judges one value. @throws SchemaRefusal as createValidator */
export function validate(node: SchemaNode, value: unknown): Problem | null {
  return createValidator(node)(value);
}

interface Known {
  readonly patterns: Patterns;
  readonly values: ValueSets;
  /** Whether anything asks what has been evaluated. */
  readonly evaluating: boolean;
  /** The nodes that more than one way leads to: their judgements are kept, so that diamonds cost no power of two. */
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

interface Judged {
  readonly problem: Problem | null;
  readonly evaluated: Evaluated | null;
}

function judgeOf(known: Known): Judge {
  const kept = new Map<SchemaNode, Map<string, Judged>>();
  let nesting = 0;
  let steps = 0;
  const take = (spot: Spot): void => {
    steps += 1;
    if (steps > stepsMax) throw new BoundReached("too much work to judge", spot.pointer);
  };
  const decide = (node: SchemaNode, spot: Spot, evaluated: Evaluated | null): Problem | null => {
    nesting += 1;
    if (nesting > nestingMax) throw new BoundReached("too deep to judge", spot.pointer);
    const problem = check(node, spot, evaluated, judge);
    nesting -= 1;
    return problem;
  };
  const keep = (node: SchemaNode, spot: Spot): Judged => {
    const spots = kept.get(node) ?? new Map<string, Judged>();
    kept.set(node, spots);
    const before = spots.get(spot.pointer);
    if (before !== undefined) return before;
    const evaluated = known.evaluating ? new Evaluated() : null;
    const judged = { problem: decide(node, spot, evaluated), evaluated };
    spots.set(spot.pointer, judged);
    return judged;
  };
  const judge: Judge = {
    patterns: known.patterns,
    values: known.values,
    take,
    judge(node, spot, into) {
      take(spot);
      if (known.shared.has(node)) {
        const { problem, evaluated } = keep(node, spot);
        if (problem === null && evaluated !== null) into?.add(evaluated);
        return problem;
      }
      const evaluated = known.evaluating ? new Evaluated() : null;
      const problem = decide(node, spot, evaluated);
      if (problem === null && evaluated !== null) into?.add(evaluated);
      return problem;
    },
  };
  return judge;
}

function check(node: SchemaNode, spot: Spot, evaluated: Evaluated | null, judge: Judge): Problem | null {
  if (node.always === true) return null;
  if (node.always === false)
    return {
      keyword: "false",
      schemaPointer: node.pointer,
      instancePointer: spot.pointer,
      message: "nothing is allowed here",
    };
  return (
    checkScalar(node, spot, judge) ??
    checkCombined(node, spot, evaluated, judge) ??
    checkArray(node, spot, evaluated, judge) ??
    checkObject(node, spot, evaluated, judge)
  );
}

function sharedNodes(nodes: ReadonlySet<SchemaNode>): ReadonlySet<SchemaNode> {
  const shared = new Set<SchemaNode>();
  for (const node of nodes) if (node.ref !== undefined) shared.add(node.ref);
  return shared;
}

function tooMuch(instancePointer: string, message: string): Problem {
  return { keyword: "limit", schemaPointer: "", instancePointer, message };
}
