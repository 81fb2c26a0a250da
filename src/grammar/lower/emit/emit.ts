/**
 * Plans as GBNF rules: a rule for each term, its alternatives each beginning with a terminal or a rule that does, recursion
 * by name. What the plans say is decided; here it is only written.
 */
import type { RuleBook } from "../../gbnf.js";
import { AutomatonTooLarge } from "../../regular/automaton.js";
import { emitRaw, emitString } from "../../regular/emit.js";
import { SchemaRefusal } from "../../schema/refusal.js";
import { emitArrayBody } from "./array.js";
import type { Check, NumberShape, StringShape, Term } from "../language.js";
import { numbersIn } from "../numbers.js";
import { emitObjectBody, type Emission } from "./object.js";
import type { TermPlan } from "../plan/plan.js";
import type { Plans } from "../plan/plans.js";
import type { Scope } from "../scope.js";
import { emitValues } from "./values.js";
import { gapRule } from "./whitespace.js";

/** Terms that are written while one around them is being written; deeper ones wait for their turn. */
const depthMax = 60;

/** @returns the rule of the root term, and what the grammar leaves to the validator @throws GrammarTooLarge */
export function emitTerms(
  root: Term,
  plans: Plans,
  scope: Scope,
  rules: RuleBook,
): { readonly root: string; readonly checked: readonly Check[] } {
  const checks = new Map<string, Check>();
  const record = (found: readonly Check[]): void => {
    for (const check of found) checks.set(`${check.keyword} ${check.pointer}`, check);
  };
  const write = (term: Term, rule: (inner: Term) => string): string => {
    const plan = plans.of(term);
    const emission: Emission = { rules, rule, alive: plans.alive, record, pointer: plan.pointer };
    const rightSide = [...scalars(plan, emission), ...structures(plan, plans, emission, scope)].join(" | ");
    if (rightSide === "") throw tooLittle(plan.pointer);
    return rightSide;
  };
  return { root: ruleOf(root, write, rules), checked: [...checks.values()] };
}

/**
 * Writes a term and all that it uses, each once. A term that uses itself gets its name before its right side; one that
 * stands too deep gets its name at once and is written when the others are done.
 */
function ruleOf(
  root: Term,
  write: (term: Term, rule: (inner: Term) => string) => string,
  rules: RuleBook,
): string {
  const names = new Map<Term, string>();
  const open = new Map<Term, string | null>();
  const waiting: Term[] = [];
  const early = (term: Term): string => {
    const name = rules.reserve();
    if (open.has(term)) open.set(term, name);
    else {
      names.set(term, name);
      waiting.push(term);
    }
    return name;
  };
  const rule = (term: Term): string => {
    const known = names.get(term) ?? open.get(term);
    if (known !== undefined && known !== null) return known;
    if (open.has(term) || open.size >= depthMax) return early(term);
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
  for (const term of waiting) rules.define(names.get(term) ?? "", write(term, rule));
  return name;
}

function tooLittle(pointer: string): SchemaRefusal {
  return new SchemaRefusal(
    `No array at ${pointer === "" ? "the top of the schema" : pointer} satisfies contains and the limits on items.`,
    { keyword: "contains", pointer },
  );
}

/** The rule that a right side is already the name of, or a new one. */
function named(rightSide: string, rules: RuleBook): string {
  return /^[a-z][a-z0-9-]*$/.test(rightSide) ? rightSide : rules.add(rightSide);
}

function scalars(plan: TermPlan, emission: Emission): string[] {
  const { rules } = emission;
  const alternatives: string[] = [];
  if (plan.values.length > 0) alternatives.push(emitValues(plan.values, rules));
  for (const shape of plan.numbers) {
    const number = numberRule(shape, emission);
    if (number !== null) alternatives.push(number);
  }
  for (const shape of plan.strings) alternatives.push(stringRule(shape, emission));
  return [...new Set(alternatives)];
}

function numberRule(shape: NumberShape, emission: Emission): string | null {
  const known = numbersIn(shape);
  if (known.automaton === null) return null;
  emission.record(shape.checks);
  if (!known.exact) {
    const keyword = shape.range.multipleOf === undefined ? "type" : "multipleOf";
    emission.record([{ keyword, pointer: emission.pointer }]);
  }
  return emitRaw(known.automaton, emission.rules);
}

function stringRule(shape: StringShape, emission: Emission): string {
  emission.record(shape.checks);
  try {
    return emitString(shape, emission.rules);
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    emission.record([
      { keyword: shape.maxLength === null ? "minLength" : "maxLength", pointer: emission.pointer },
    ]);
    return emitString({ ...shape, minLength: 0, maxLength: null }, emission.rules);
  }
}

function structures(plan: TermPlan, plans: Plans, emission: Emission, scope: Scope): string[] {
  const { rules } = emission;
  const objects = plan.objects
    .filter(plans.aliveObject)
    .map((object) => emitObjectBody(object, emission))
    .filter((body) => body !== null);
  const arrays = plan.arrays
    .filter(plans.aliveArray)
    .map((array) => emitArrayBody(array, emission, scope))
    .filter((body) => body !== null);
  const gap = gapRule(rules);
  const alternatives: string[] = [];
  if (objects.length > 0) alternatives.push(`"{" ${gap} ${oneOf(objects)}`);
  if (arrays.length > 0) alternatives.push(`"[" ${gap} ${oneOf(arrays)}`);
  return alternatives;
}

function oneOf(bodies: readonly string[]): string {
  const [only, ...more] = new Set(bodies);
  return more.length === 0 ? (only ?? "") : `(${[only, ...more].join(" | ")})`;
}
