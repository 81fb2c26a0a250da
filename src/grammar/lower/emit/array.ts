import type { RuleBook } from "../../gbnf.js";
import { repeat } from "../../regular/emit.js";
import type { JsonValue } from "../../schema/node.js";
import type { Emission } from "./object.js";
import type { ArrayPlan } from "../plan/plan.js";
import { splitItem } from "../plan/plans.js";
import type { Scope } from "../scope.js";
import { emitValues } from "./values.js";
import { gapRule } from "./whitespace.js";

/** Places times counts that `contains` may take. */
const countedMax = 400;

/** The rule of what follows the opening bracket of an array, or null where no array satisfies the plan. */
export function emitArrayBody(plan: ArrayPlan, emission: Emission, scope: Scope): string | null {
  emission.record(plan.checks);
  if (plan.distinct !== null) return distinctItems(plan, plan.distinct, emission.rules);
  const { contained } = plan;
  if (contained === null) return plainItems(plan, emission);
  const counts = (contained.max ?? contained.min - 1) + 2;
  const places = Math.max(plan.prefix.length, plan.minItems, plan.maxItems ?? 0) + 1;
  if (counts * places <= countedMax) return containing(plan, counts, places, emission, scope);
  emission.record([contained.at]);
  return plainItems(plan, emission);
}

function plainItems(plan: ArrayPlan, emission: Emission): string | null {
  const { rules } = emission;
  const { minItems } = plan;
  const gap = gapRule(rules);
  const usable = plan.prefix.findIndex((term) => !emission.alive(term));
  const prefix = usable === -1 ? plan.prefix : plan.prefix.slice(0, usable);
  const rest = usable === -1 && plan.rest !== null && emission.alive(plan.rest) ? plan.rest : null;
  if (rest === null && minItems > prefix.length) return null;
  const close = `${gap} "]"`;
  let after = close;
  if (rest !== null) {
    const item = emission.rule(rest);
    const from = prefix.length;
    const most = plan.maxItems === null ? null : plan.maxItems - Math.max(from, 1);
    const next = rules.add(`"," ${gap} ${item}`);
    const more = most === 0 ? "" : repeat(next, Math.max(0, minItems - Math.max(from, 1)), most, rules);
    after = `${more} ${close}`.trim();
    if (from === 0) return rules.add(`${item} ${after}${minItems === 0 ? ' | "]"' : ""}`);
  }
  for (let index = prefix.length - 1; index >= 0; index--) {
    const term = prefix[index];
    if (term === undefined) continue;
    const item = `${emission.rule(term)} ${after}`;
    if (index === 0) return rules.add(`${item}${minItems === 0 ? ' | "]"' : ""}`);
    after = rules.add(`"," ${gap} ${item}${minItems <= index ? ` | ${close}` : ""}`);
  }
  return rules.add('"]"');
}

/** Each value at most once: a rule for each set of those that are left. */
function distinctItems(plan: ArrayPlan, values: readonly JsonValue[], rules: RuleBook): string {
  const gap = gapRule(rules);
  const { minItems, maxItems } = plan;
  const items = values.map((value) => emitValues([value], rules));
  const known = new Map<number, string>();
  /** @returns the rule of what follows when the values of these bits have been used, in the order of their bits */
  const after = (used: number, count: number): string => {
    const before = known.get(used);
    if (before !== undefined) return before;
    const alternatives: string[] = [];
    if (maxItems === null || count < maxItems)
      for (const [index, item] of items.entries())
        if ((used & (1 << index)) === 0)
          alternatives.push(
            `${count === 0 ? "" : `"," ${gap} `}${item} ${after(used | (1 << index), count + 1)}`,
          );
    if (count >= minItems) alternatives.push(count === 0 ? '"]"' : `${gap} "]"`);
    const name = rules.add(alternatives.join(" | "));
    known.set(used, name);
    return name;
  };
  return after(0, 0);
}

/** A place in the array, up to where all places are alike, times how many items have counted for `contains`. */
function containing(
  plan: ArrayPlan,
  counts: number,
  places: number,
  emission: Emission,
  scope: Scope,
): string | null {
  const { rules } = emission;
  const { contained, maxItems, minItems } = plan;
  if (contained === null) return null;
  const gap = gapRule(rules);
  const most = contained.max === null ? contained.min : contained.max;
  let later = new Map<number, string | null>();
  for (let place = places; place >= 0; place--) {
    const here = new Map<number, string | null>();
    const term = place < plan.prefix.length ? plan.prefix[place] : plan.rest;
    const split = term === undefined || term === null ? null : splitItem(term, plan, scope);
    const full = maxItems !== null && place >= maxItems;
    for (let count = Math.min(counts, most); count >= 0; count--) {
      const name = rules.reserve();
      const alternatives: string[] = [];
      const goOn = (inner: string, next: number): void => {
        const following = place === places ? (next === count ? name : here.get(next)) : later.get(next);
        if (following !== null && following !== undefined)
          alternatives.push(`${place === 0 ? "" : `"," ${gap} `}${inner} ${following}`);
      };
      const counting = contained.max === null ? Math.min(count + 1, most) : count + 1;
      if (split !== null && !full) {
        if (counting <= most && (contained.max !== null || count < most) && emission.alive(split.inside))
          goOn(emission.rule(split.inside), counting);
        if (emission.alive(split.outside)) goOn(emission.rule(split.outside), count);
      }
      if (place >= minItems && count >= contained.min) alternatives.push(place === 0 ? '"]"' : `${gap} "]"`);
      const own = alternatives.filter((text) => !text.endsWith(` ${name}`));
      if (own.length === 0) here.set(count, null);
      else {
        rules.define(name, alternatives.join(" | "));
        here.set(count, name);
      }
    }
    later = here;
  }
  return later.get(0) ?? null;
}
