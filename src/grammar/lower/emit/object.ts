import { literal, type RuleBook } from "../../gbnf.js";
import { emitString } from "../../regular/emit.js";
import { countingOf, type Counting } from "../plan/counting.js";
import type { Check, Term } from "../language.js";
import type { ObjectPlan } from "../plan/plan.js";
import { colonGap, gapRule } from "./whitespace.js";

/** What the emission of arrays and objects asks of the whole. */
export interface Emission {
  readonly rules: RuleBook;
  /** The rule of a term that has a text. */
  rule(term: Term): string;
  readonly alive: (term: Term) => boolean;
  record(checks: readonly Check[]): void;
  /** Where the value stands, for a check that has no better place. */
  readonly pointer: string;
}

/** Longest row of required members that is written into one right side. */
const rowMax = 40;

/**
 * The rule of what follows the opening bracket of an object. One chain in the order of the keys: at each key the pair comes
 * now, or a later one does; after a pair comes a comma and another pair, or the end. So the chain is linear in the keys, and
 * only what is counted multiplies it.
 */
export function emitObjectBody(plan: ObjectPlan, emission: Emission): string | null {
  const counted = countingOf(plan, emission.alive);
  if (counted === null) return null;
  emission.record(plan.checks);
  if (counted !== "large") return chain(plan, counted, emission);
  const loose = { ...plan, minProperties: 0, maxProperties: null, clauses: [] };
  const counting = countingOf(loose, emission.alive);
  if (counting === null || counting === "large") throw new RangeError("a chain without counters is linear");
  emission.record(plan.clauses.map((clause) => clause.at));
  const limits = [];
  if (plan.minProperties > 0) limits.push({ keyword: "minProperties", pointer: emission.pointer });
  if (plan.maxProperties !== null) limits.push({ keyword: "maxProperties", pointer: emission.pointer });
  emission.record(limits);
  return chain(loose, counting, emission);
}

/** The right sides of one place and state. */
interface Link {
  /** What may be written when a pair must come now; no texts: none can. */
  readonly pairs: readonly string[];
  /** What follows a pair: a comma and another one, or the end. */
  readonly next: string;
  /** Whether the object may end here. */
  readonly ends: boolean;
}

function chain(plan: ObjectPlan, counting: Counting, emission: Emission): string {
  const { rules } = emission;
  const last = plan.entries.length;
  let later = tail(plan, counting, emission);
  for (let place = last - 1; place >= 0; place--) {
    const here = new Map<number, Link>();
    const entry = plan.entries[place];
    if (entry === undefined) continue;
    for (const state of counting.places[place] ?? []) {
      const taken = later.get(counting.after(place, state, true) ?? -1);
      const skipped = later.get(counting.after(place, state, false) ?? -1);
      const pairs: string[] = [];
      if (taken !== undefined)
        pairs.push(
          `${literal(JSON.stringify(entry.key))} ":" ${colonGap} ${emission.rule(entry.term)} ${taken.next}`,
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

function link(pairs: readonly string[], ends: boolean, rules: RuleBook): Link {
  const gap = gapRule(rules);
  const [only, second] = pairs;
  if (only === undefined) return { pairs, ends, next: `${gap} "}"` };
  const short = second === undefined && only.length < rowMax * 30;
  const another = `"," ${gap} ${short ? only : rules.add(pairs.join(" | "))}`;
  if (!ends) return { pairs: [short ? only : rules.add(pairs.join(" | "))], ends, next: another };
  return { pairs, ends, next: rules.add(`${another} | ${gap} "}"`) };
}

/** The links of the last place: extra keys, again and again, and the end. */
function tail(plan: ObjectPlan, counting: Counting, emission: Emission): Map<number, Link> {
  const { rules } = emission;
  const last = plan.entries.length;
  const heads: string[] = [];
  for (const { names, term } of plan.extras) {
    if (!emission.alive(term)) continue;
    const key = emitString({ automaton: names, minLength: 0, maxLength: null }, rules);
    heads.push(`${key} ":" ${colonGap} ${emission.rule(term)}`);
  }
  const links = new Map<number, Link>();
  const gap = gapRule(rules);
  const open = [...(counting.places[last] ?? [])];
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
