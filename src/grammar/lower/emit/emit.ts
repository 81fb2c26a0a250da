/**
 * Emits plans as GBNF rules: one rule per term. Each alternative begins with a terminal or a rule that does;
 * recursion goes through rule names.
 */
import type { RuleSet } from "../../gbnf.js";
import { AutomatonTooLarge } from "../../regular/automaton.js";
import { emitRaw, emitString } from "../../regular/emit.js";
import { SchemaRefusal } from "../../schema/refusal.js";
import { emitArrayBody } from "./array.js";
import type { Check, NumberShape, StringShape, Term } from "../language.js";
import { numberTexts } from "../numbers.js";
import { emitObjectBody, type EmitContext } from "./object.js";
import type { TermPlan } from "../plan/plan.js";
import type { Plans } from "../plan/plans.js";
import type { Scope } from "../scope.js";
import { emitValues } from "./values.js";
import { workingAt } from "../../work.js";
import { placeOfTerm } from "../place.js";
import { whitespaceRule } from "./whitespace.js";

/** The nesting depth of terms that are emitted recursively; deeper ones are deferred. */
const depthMax = 60;

/** @returns the name of the root rule, and the keywords left to the validator @throws GrammarTooLarge */
export function emitTerms(
  root: Term,
  plans: Plans,
  scope: Scope,
  rules: RuleSet,
): { readonly root: string; readonly checked: readonly Check[] } {
  const checks = new Map<string, Check>();
  const recordChecks = (found: readonly Check[]): void => {
    for (const check of found) checks.set(`${check.keyword} ${check.pointer}`, check);
  };
  const write = (term: Term, rule: (inner: Term) => string): string => {
    const plan = plans.of(term);
    const context: EmitContext = {
      rules,
      rule,
      isProductive: plans.isProductive,
      recordChecks,
      pointer: plan.pointer,
    };
    const rightSide = workingAt(placeOfTerm(term), () =>
      [...scalars(plan, context), ...structures(plan, plans, context, scope)].join(" | "),
    );
    if (rightSide === "") throw unsatisfiableArray(plan.pointer);
    return rightSide;
  };
  return { root: ruleOf(root, write, rules), checked: [...checks.values()] };
}

/**
 * Emits a term and all terms it uses, each once. A term that uses itself gets its name before its right-hand
 * side. A term that is nested too deeply gets a name at once and is emitted after the others.
 */
function ruleOf(
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
    if (known !== undefined && known !== null) return known;
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
  context.recordChecks(shape.checks);
  if (!known.exact) {
    const keyword = shape.range.multipleOf === undefined ? "type" : "multipleOf";
    context.recordChecks([{ keyword, pointer: context.pointer }]);
  }
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

function structures(plan: TermPlan, plans: Plans, context: EmitContext, scope: Scope): string[] {
  const { rules } = context;
  const objects = plan.objects
    .filter(plans.isProductiveObject)
    .map((object) => emitObjectBody(object, context))
    .filter((body) => body !== null);
  const arrays = plan.arrays
    .filter(plans.isProductiveArray)
    .map((array) => emitArrayBody(array, context, scope))
    .filter((body) => body !== null);
  const gap = whitespaceRule(rules);
  const alternatives: string[] = [];
  if (objects.length > 0) alternatives.push(`"{" ${gap} ${oneOf(objects)}`);
  if (arrays.length > 0) alternatives.push(`"[" ${gap} ${oneOf(arrays)}`);
  return alternatives;
}

function oneOf(bodies: readonly string[]): string {
  const [only, ...more] = new Set(bodies);
  return more.length === 0 ? (only ?? "") : `(${[only, ...more].join(" | ")})`;
}
