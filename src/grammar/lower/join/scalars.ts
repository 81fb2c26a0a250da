/** The values without members of several terms, divided into classes of which each has one set of terms. */
import {
  type Automaton,
  automatonOfTexts,
  AutomatonTooLarge,
  intersect,
  isEmpty,
  noString,
  union,
} from "../../regular/automaton.js";
import { ExactNumber } from "../../regular/number/decimal.js";
import { jsonText } from "../../schema/json-text.js";
import type { JsonValue } from "../../schema/node.js";
import { type Check, mergeChecks } from "../language.js";
import { checksOfNumber, numberTexts } from "../numbers.js";
import type { TermPlan } from "../plan/plan.js";
import { uniteStrings } from "../strings.js";
import { divideMembers } from "./members.js";
import type { Edge, State } from "./state.js";

/** The values without members of one term, and what follows. */
interface Scalars {
  readonly plan: TermPlan;
  readonly next: State | null;
}

type Divided = readonly { readonly names: Automaton; readonly choices: readonly Scalars[] }[];

/** Returns whether a value without members may belong to two of the terms that go on in different ways. */
export function overlap(all: readonly Scalars[]): boolean {
  return all.some((one, index) =>
    all.slice(index + 1).some((other) => one.next !== other.next && overlapTwo(one.plan, other.plan)),
  );
}

function overlapTwo(a: TermPlan, b: TermPlan): boolean {
  try {
    if (!isEmpty(intersect(listNumbers(a), listNumbers(b)))) return true;
    if (!isEmpty(intersect(listStrings(a), listStrings(b)))) return true;
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return true;
  }
  const texts = new Set(listOthers(a).map(jsonText));
  return listOthers(b).some((value) => texts.has(jsonText(value)));
}

/**
 * Returns the edges of all values without members.
 * @throws AutomatonTooLarge, TooManyStates
 */
export function scalarEdges(
  all: readonly Scalars[],
  join: (states: readonly (State | null)[]) => State | null,
): readonly Edge[] {
  const edges: Edge[] = [];
  const add = (kind: "strings" | "numbers", divided: Divided, checks: readonly Check[]): void => {
    const byNext = new Map<State | null, Automaton>();
    for (const { names, choices } of divided) {
      const next = join(choices.map((choice) => choice.next));
      byNext.set(next, union(byNext.get(next) ?? noString, names));
    }
    for (const [next, automaton] of byNext) edges.push({ value: { kind, automaton, checks }, next });
  };
  const numberChecks = all.flatMap(({ plan }) =>
    plan.numbers.map((shape) => checksOfNumber(shape, plan.pointer)),
  );
  const stringChecks = all.flatMap(({ plan }) => plan.strings.map((shape) => shape.checks));
  const merged = (checks: readonly (readonly Check[])[]): readonly Check[] =>
    checks.reduce((some, more) => mergeChecks(some, more), []);
  add("numbers", divideMembers(divideScalars(all, listNumbers)), merged(numberChecks));
  add("strings", divideMembers(divideScalars(all, listStrings)), merged(stringChecks));
  const values = new Map<string, { readonly value: JsonValue; readonly next: (State | null)[] }>();
  for (const { plan, next } of all)
    for (const value of listOthers(plan)) {
      const known = values.get(jsonText(value)) ?? { value, next: [] };
      known.next.push(next);
      values.set(jsonText(value), known);
    }
  const byNext = new Map<State | null, JsonValue[]>();
  for (const { value, next } of values.values()) {
    const joined = join(next);
    byNext.set(joined, [...(byNext.get(joined) ?? []), value]);
  }
  for (const [next, listed] of byNext) edges.push({ value: { kind: "values", values: listed }, next });
  return edges;
}

function divideScalars(all: readonly Scalars[], automatonOfPlan: (plan: TermPlan) => Automaton): Divided {
  return all
    .map((scalars) => ({ names: automatonOfPlan(scalars.plan), choices: [scalars] }))
    .filter(({ names }) => !isEmpty(names));
}

const known = new WeakMap<TermPlan, { strings?: Automaton; numbers?: Automaton }>();

function listStrings(plan: TermPlan): Automaton {
  const before = known.get(plan) ?? {};
  known.set(plan, before);
  before.strings ??= uniteStrings(
    plan.strings,
    plan.values.filter((value) => typeof value === "string"),
  );
  return before.strings;
}

function listNumbers(plan: TermPlan): Automaton {
  const before = known.get(plan) ?? {};
  known.set(plan, before);
  if (before.numbers === undefined) {
    const texts = plan.values.filter(isNumber).map(jsonText);
    let all = texts.length === 0 ? noString : automatonOfTexts(texts);
    for (const shape of plan.numbers) all = union(all, numberTexts(shape).automaton ?? noString);
    before.numbers = all;
  }
  return before.numbers;
}

/** Returns the listed values that are neither strings nor numbers, nor have members. */
function listOthers(plan: TermPlan): readonly JsonValue[] {
  return plan.values.filter((value) => value === null || typeof value === "boolean");
}

function isNumber(value: JsonValue): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}
