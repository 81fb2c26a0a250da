import { literal, type RuleSet } from "../../gbnf.js";
import { emitString } from "../../regular/emit.js";
import { planCounting, type Counting } from "../plan/counting.js";
import type { Check, Term } from "../language.js";
import type { Entry, ObjectPlan } from "../plan/plan.js";
import { colonWhitespace, whitespaceRule } from "./whitespace.js";

/** What making nodes needs from the emission. */
export interface NodeContext {
  readonly isProductive: (term: Term) => boolean;
  recordChecks(checks: readonly Check[]): void;
}

/** What emitting arrays and objects needs from the context of terms. */
export interface EmitContext extends NodeContext {
  readonly rules: RuleSet;
  /** Returns the rule of a productive term. */
  rule(term: Term): string;
  /** The JSON Pointer of the value, for checks without a more specific location. */
  readonly pointer: string;
}

/** The longest sequence of required members that is written into one right-hand side. */
const rowMax = 40;

/** Returns a plan with its counters, or null if no object satisfies it. Counters that are too large are left to the validator. */
export function countedPlan(
  plan: ObjectPlan,
  context: Omit<EmitContext, "rules" | "rule">,
): { readonly plan: ObjectPlan; readonly counting: Counting } | null {
  const counted = planCounting(plan, context.isProductive);
  if (counted === null) return null;
  context.recordChecks(plan.checks);
  if (counted !== "large") return { plan, counting: counted };
  const loose = { ...plan, minProperties: 0, maxProperties: null, clauses: [] };
  const counting = planCounting(loose, context.isProductive);
  if (counting === null || counting === "large") throw new RangeError("a chain without counters is linear");
  context.recordChecks(plan.clauses.map((clause) => clause.at));
  const limits = [];
  if (plan.minProperties > 0) limits.push({ keyword: "minProperties", pointer: context.pointer });
  if (plan.maxProperties !== null) limits.push({ keyword: "maxProperties", pointer: context.pointer });
  context.recordChecks(limits);
  return { plan: loose, counting };
}

/**
 * Returns the rule for the text after the opening bracket of an object. The rules form one chain in key
 * order: at each key, either its member follows or a later one does; after a member comes a comma and another
 * member, or the end. The chain is linear in the number of keys; only counters multiply it.
 */
export function emitObjectBody(plan: ObjectPlan, context: EmitContext): string | null {
  const counted = countedPlan(plan, context);
  return counted === null ? null : chain(counted.plan, counted.counting, context);
}

/** The right-hand sides of one position and counter state. */
interface Link {
  /** The alternatives when a member must follow; empty if none can. */
  readonly pairs: readonly string[];
  /** The text after a member: a comma and another member, or the end. */
  readonly next: string;
  /** Whether the object may end here. */
  readonly ends: boolean;
}

function chain(plan: ObjectPlan, counting: Counting, context: EmitContext): string {
  const { rules } = context;
  const last = plan.entries.length;
  let later = tail(plan, counting, context);
  for (let position = last - 1; position >= 0; position--) {
    const here = new Map<number, Link>();
    const entry = plan.entries[position];
    if (entry === undefined) continue;
    for (const state of counting.positions[position] ?? []) {
      const taken = later.get(counting.after(position, state, true) ?? -1);
      const skipped = later.get(counting.after(position, state, false) ?? -1);
      const pairs: string[] = [];
      if (taken !== undefined)
        pairs.push(
          `${keyText(entry.key, rules)} ":" ${colonWhitespace} ${context.rule(entry.term)} ${taken.next}`,
        );
      if (skipped !== undefined && skipped.pairs.length > 0)
        pairs.push(...(skipped.pairs.length === 1 ? skipped.pairs : [rules.add(skipped.pairs.join(" | "))]));
      here.set(state, link(pairs, skipped?.ends ?? false, rules));
    }
    later = here;
  }
  const first = later.get(0);
  if (first === undefined) throw new RangeError("a plan that has a text has a first key or an end");
  return rules.add([...first.pairs, ...(first.ends ? ['"}"'] : [])].join(" | "));
}

function link(pairs: readonly string[], ends: boolean, rules: RuleSet): Link {
  const gap = whitespaceRule(rules);
  const [only, second] = pairs;
  if (only === undefined) return { pairs, ends, next: `${gap} "}"` };
  const short = second === undefined && only.length < rowMax * 30;
  const another = `"," ${gap} ${short ? only : rules.add(pairs.join(" | "))}`;
  if (!ends) return { pairs: [short ? only : rules.add(pairs.join(" | "))], ends, next: another };
  return { pairs, ends, next: rules.add(`${another} | ${gap} "}"`) };
}

/** Returns the links of the last position: any number of extra keys, and the end. */
function tail(plan: ObjectPlan, counting: Counting, context: EmitContext): Map<number, Link> {
  const { rules } = context;
  const last = plan.entries.length;
  const heads: string[] = [];
  for (const { names, term } of plan.extras) {
    if (!context.isProductive(term)) continue;
    heads.push(`${keyText(names, rules)} ":" ${colonWhitespace} ${context.rule(term)}`);
  }
  const links = new Map<number, Link>();
  const gap = whitespaceRule(rules);
  const open = [...(counting.positions[last] ?? [])];
  const names = new Map(open.map((state) => [state, heads.length === 0 ? "" : rules.reserve()]));
  for (const state of open) {
    const after = counting.after(last, state, true);
    const following = after === undefined ? undefined : names.get(after);
    const ends = counting.ends(state);
    const pairs =
      following === undefined || following === "" ? [] : heads.map((head) => `${head} ${following}`);
    const shared = pairs.length > 1 ? [rules.add(pairs.join(" | "))] : pairs;
    const [pair] = shared;
    const alternatives = pair === undefined ? [] : [`"," ${gap} ${pair}`];
    if (ends) alternatives.push(`${gap} "}"`);
    const name = names.get(state) ?? "";
    if (name === "") links.set(state, { pairs: [], ends, next: `${gap} "}"` });
    else {
      rules.define(name, alternatives.join(" | "));
      links.set(state, { pairs: shared, ends, next: name });
    }
  }
  return links;
}

/** Returns the text of a key, or of the keys of an automaton. */
export function keyText(key: Entry["key"], rules: RuleSet): string {
  if (typeof key === "string") return literal(JSON.stringify(key));
  return emitString({ automaton: key, minLength: 0, maxLength: null }, rules);
}
