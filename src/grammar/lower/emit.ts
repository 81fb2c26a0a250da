/**
 * Emits plans as GBNF rules: one rule per term. Each alternative begins with a terminal or a rule that does;
 * recursion goes through rule names.
 */
import type { RuleSet } from "../gbnf.js";
import { SchemaRefusal } from "../schema/refusal.js";
import { emitArrayBody } from "./emit/array.js";
import type { Check, Term, NumberShape, StringShape } from "./language.js";
import { Joiner } from "./join/joiner.js";
import type { Node } from "./join/nodes.js";
import { writeJoined } from "./join/write.js";
import { emitObjectBody, type EmitContext } from "./emit/object.js";
import type { ArrayPlan, ObjectPlan, TermPlan } from "./plan/plan.js";
import type { Plans } from "./plan/plans.js";
import type { GrammarScope } from "./scope.js";
import { workingAt } from "../work.js";
import { placeOfTerm } from "./place.js";
import { whitespaceRule } from "./emit/whitespace.js";
import { AutomatonTooLarge } from "../regular/automaton.js";
import { emitRaw, emitString } from "../regular/emit.js";
import { checksOfNumber, numberTexts } from "./numbers.js";
import { emitValues } from "./emit/values.js";

/** The nesting depth of terms that are emitted recursively; deeper ones are deferred. */
const depthMax = 60;

/** @returns the name of the root rule, and the keywords left to the validator @throws GrammarTooLarge */
export function emitTerms(
  root: Term,
  plans: Plans,
  scope: GrammarScope,
  rules: RuleSet,
): { readonly root: string; readonly checked: readonly Check[] } {
  const checks = new Map<string, Check>();
  const recordChecks = (found: readonly Check[]): void => {
    for (const check of found) checks.set(`${check.keyword} ${check.pointer}`, check);
  };
  const base = { rules, isProductive: plans.isProductive, recordChecks };
  const joiner = new Joiner(plans, scope, base, rules);
  const write = (term: Term, rule: (inner: Term) => string): string => {
    const body = joiner.listBody(term);
    const pointer =
      body === undefined ? joiner.findPlan(term).pointer : (term.literals[0]?.node.pointer ?? "");
    const emission = { context: { ...base, rule, pointer }, plans, scope, joiner };
    const rightSide = workingAt(placeOfTerm(term), () =>
      (body === undefined
        ? [...scalars(joiner.findPlan(term), emission.context), ...structures(term, emission)]
        : together(term, body, emission)
      ).join(" | "),
    );
    if (rightSide === "") throw unsatisfiableArray(pointer);
    return rightSide;
  };
  return { root: emitRule(root, write, rules), checked: [...checks.values()] };
}

/**
 * Emits a term and all terms it uses, each once. A term that uses itself gets its name before its right-hand
 * side. A term that is nested too deeply gets a name at once and is emitted after the others.
 */
function emitRule(
  root: Term,
  write: (term: Term, rule: (inner: Term) => string) => string,
  rules: RuleSet,
): string {
  const names = new Map<Term, string>();
  const open = new Map<Term, string | null>();
  const deferred: Term[] = [];
  const reserveName = (term: Term): string => {
    const name = rules.reserve();
    if (open.has(term)) open.set(term, name);
    else {
      names.set(term, name);
      deferred.push(term);
    }
    return name;
  };
  const rule = (term: Term): string => {
    const known = names.get(term) ?? open.get(term);
    if (known != null) return known;
    if (open.has(term) || open.size >= depthMax) return reserveName(term);
    open.set(term, null);
    const rightSide = write(term, rule);
    const reserved = open.get(term) ?? null;
    open.delete(term);
    if (reserved !== null) rules.define(reserved, rightSide);
    const name = reserved ?? named(rightSide, rules);
    names.set(term, name);
    return name;
  };
  const name = rule(root);
  for (const term of deferred) rules.define(names.get(term) ?? "", write(term, rule));
  return name;
}

function unsatisfiableArray(pointer: string): SchemaRefusal {
  return new SchemaRefusal(
    `No array at ${pointer === "" ? "the top of the schema" : pointer} satisfies contains and the limits on items.`,
    { keyword: "contains", pointer },
  );
}

/** Returns the right-hand side itself if it is a rule name, otherwise the name of a new rule. */
function named(rightSide: string, rules: RuleSet): string {
  return /^[a-z][a-z0-9-]*$/.test(rightSide) ? rightSide : rules.add(rightSide);
}

interface Emission {
  readonly context: EmitContext;
  readonly plans: Plans;
  readonly scope: GrammarScope;
  readonly joiner: Joiner;
}

/** Returns the texts of the objects and arrays of a term, each with its brackets. */
function structures(term: Term, emission: Emission): readonly string[] {
  const { joiner, plans } = emission;
  const { objects, arrays } = joiner.findPlan(term);
  const multiplies = joiner.multiplies(term);
  const countsItems = arrays.some(({ contained }) => contained !== null);
  return [
    ...(multiplies && objects.length > 1
      ? together(term, joiner.listNodes(term, "object"), emission)
      : apart(objects.filter(plans.isProductiveObject), [], emission)),
    ...(multiplies && (arrays.length > 1 || countsItems)
      ? together(term, joiner.listNodes(term, "array"), emission)
      : apart([], arrays.filter(plans.isProductiveArray), emission)),
  ];
}

/** Returns the text of the alternatives of a term with the rules that they share, or of each with its own where joining takes too much. */
function together(term: Term, nodes: readonly Node[], emission: Emission): readonly string[] {
  const { joiner, context, scope } = emission;
  if (nodes.length === 0) return [];
  const joined = joiner.join(term, nodes);
  if (joined !== null) return [writeJoined(joined, context, scope)];
  const { objects, arrays } = joiner.listPlans(nodes);
  return apart(objects, arrays, emission);
}

/** Returns the texts of objects and arrays, each alternative with rules of its own. */
function apart(
  objects: readonly ObjectPlan[],
  arrays: readonly ArrayPlan[],
  { context, scope }: Emission,
): readonly string[] {
  const gap = whitespaceRule(context.rules);
  const inObjects = objects.map((plan) => emitObjectBody(plan, context)).filter((body) => body !== null);
  const inArrays = (marked: boolean): readonly string[] =>
    arrays
      .filter((plan) => plan.marked === marked)
      .map((plan) => emitArrayBody(plan, context, scope))
      .filter((body) => body !== null);
  const [plain, unique] = [inArrays(false), inArrays(true)];
  return [
    ...(inObjects.length > 0 ? [`"{" ${gap} ${writeChoice(inObjects)}`] : []),
    ...(plain.length > 0 ? [`"[" ${gap} ${writeChoice(plain)}`] : []),
    ...(unique.length > 0 ? [`${context.rules.uniqueItemsOpening()} ${gap} ${writeChoice(unique)}`] : []),
  ];
}

function writeChoice(bodies: readonly string[]): string {
  const [only, ...more] = new Set(bodies);
  return more.length === 0 ? (only ?? "") : `(${[only, ...more].join(" | ")})`;
}

/** Returns the rules of the values that have no members, and of those that are listed. */
function scalars(plan: TermPlan, context: EmitContext): string[] {
  const { rules } = context;
  const alternatives: string[] = [];
  if (plan.values.length > 0) alternatives.push(emitValues(plan.values, rules));
  for (const shape of plan.numbers) {
    const number = numberRule(shape, context);
    if (number !== null) alternatives.push(number);
  }
  for (const shape of plan.strings) alternatives.push(stringRule(shape, context));
  return [...new Set(alternatives)];
}

function numberRule(shape: NumberShape, context: EmitContext): string | null {
  const known = numberTexts(shape);
  if (known.automaton === null) return null;
  context.recordChecks(checksOfNumber(shape, context.pointer));
  return emitRaw(known.automaton, context.rules);
}

function stringRule(shape: StringShape, context: EmitContext): string {
  context.recordChecks(shape.checks);
  try {
    return emitString(shape, context.rules);
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    context.recordChecks([
      { keyword: shape.maxLength === null ? "minLength" : "maxLength", pointer: context.pointer },
    ]);
    return emitString({ ...shape, minLength: 0, maxLength: null }, context.rules);
  }
}
