import type { RuleSet } from "../../gbnf.js";
import { repeat } from "../../regular/emit.js";
import type { JsonValue } from "../../schema/node.js";
import type { EmitContext } from "./object.js";
import type { ArrayPlan } from "../plan/plan.js";
import { splitItem } from "../plan/plans.js";
import type { GrammarScope } from "../scope.js";
import { emitValues } from "./values.js";
import { whitespaceRule } from "./whitespace.js";

/** The number of states (positions times counts) that `contains` may need. */
const countedMax = 400;

/**
 * Returns the rule for the text after the opening bracket of an array, or null if no array satisfies the
 * plan.
 */
export function emitArrayBody(plan: ArrayPlan, context: EmitContext, scope: GrammarScope): string | null {
  context.recordChecks(plan.checks);
  if (plan.distinct !== null) return distinctItems(plan, plan.distinct, context.rules);
  const { contained } = plan;
  if (contained === null) return plainItems(plan, context);
  const counts = (contained.max ?? contained.min - 1) + 2;
  const positions = Math.max(plan.prefix.length, plan.minItems, plan.maxItems ?? 0) + 1;
  if (counts * positions <= countedMax) return containing(plan, counts, positions, context, scope);
  context.recordChecks([contained.at]);
  return plainItems(plan, context);
}

function plainItems(plan: ArrayPlan, context: EmitContext): string | null {
  const { rules } = context;
  const { minItems } = plan;
  const gap = whitespaceRule(rules);
  const usable = plan.prefix.findIndex((term) => !context.isProductive(term));
  const prefix = usable === -1 ? plan.prefix : plan.prefix.slice(0, usable);
  const rest = usable === -1 && plan.rest !== null && context.isProductive(plan.rest) ? plan.rest : null;
  if (rest === null && minItems > prefix.length) return null;
  const close = `${gap} "]"`;
  let after = close;
  if (rest !== null) {
    const item = context.rule(rest);
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
    const item = `${context.rule(term)} ${after}`;
    if (index === 0) return rules.add(`${item}${minItems === 0 ? ' | "]"' : ""}`);
    after = rules.add(`"," ${gap} ${item}${minItems <= index ? ` | ${close}` : ""}`);
  }
  return rules.add('"]"');
}

/** Emits items without repetition: one rule for each set of used values. */
function distinctItems(plan: ArrayPlan, values: readonly JsonValue[], rules: RuleSet): string {
  const gap = whitespaceRule(rules);
  const { minItems, maxItems } = plan;
  const items = values.map((value) => emitValues([value], rules));
  const cache = new Map<number, string>();
  /** @returns the rule for the text after the values whose bits are set in `used` */
  const after = (used: number, count: number): string => {
    const before = cache.get(used);
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
    cache.set(used, name);
    return name;
  };
  return after(0, 0);
}

/**
 * Emits rules for `contains`: one per position, up to where all positions are alike, and count of matching
 * items.
 */
function containing(
  plan: ArrayPlan,
  counts: number,
  positions: number,
  context: EmitContext,
  scope: GrammarScope,
): string | null {
  const { rules } = context;
  const { contained, maxItems, minItems } = plan;
  if (contained === null) return null;
  const gap = whitespaceRule(rules);
  const most = contained.max === null ? contained.min : contained.max;
  let later = new Map<number, string | null>();
  for (let position = positions; position >= 0; position--) {
    const here = new Map<number, string | null>();
    const term = position < plan.prefix.length ? plan.prefix[position] : plan.rest;
    const split = term == null ? null : splitItem(term, plan, scope);
    const full = maxItems !== null && position >= maxItems;
    for (let count = Math.min(counts, most); count >= 0; count--) {
      const name = rules.reserve();
      const alternatives: string[] = [];
      const addItem = (inner: string, next: number): void => {
        const following = position === positions ? (next === count ? name : here.get(next)) : later.get(next);
        if (following != null)
          alternatives.push(`${position === 0 ? "" : `"," ${gap} `}${inner} ${following}`);
      };
      const counting = contained.max === null ? Math.min(count + 1, most) : count + 1;
      if (split !== null && !full) {
        if (
          counting <= most &&
          (contained.max !== null || count < most) &&
          context.isProductive(split.inside)
        )
          addItem(context.rule(split.inside), counting);
        if (context.isProductive(split.outside)) addItem(context.rule(split.outside), count);
      }
      if (position >= minItems && count >= contained.min)
        alternatives.push(position === 0 ? '"]"' : `${gap} "]"`);
      const terminating = alternatives.filter((text) => !text.endsWith(` ${name}`));
      if (terminating.length === 0) here.set(count, null);
      else {
        rules.define(name, alternatives.join(" | "));
        here.set(count, name);
      }
    }
    later = here;
  }
  return later.get(0) ?? null;
}
