import { type RuleSet } from "../gbnf.js";

/** The number of copies written as `{m,n}`; llama.cpp silently drops a bound above 2,000. */
const blockLength = 500;

/**
 * Returns a rule for `min` to `max` copies of `rule`; null means no limit. Larger numbers are counted in
 * blocks: some whole blocks and a partial one, `x ::= partial | block x'`, which keeps at most one additional
 * alternative open per level of blocks.
 * @throws GrammarTooLarge
 */
export function repeat(rule: string, min: number, max: number | null, rules: RuleSet): string {
  if (max === null && min === 0) return rules.add(`${rule}*`);
  const parts = required(rule, min, rules);
  if (max === null) parts.push(`${rule}*`);
  else if (max > min) parts.push(optional(rule, max - min, rules));
  return rules.add(parts.length === 0 ? '""' : parts.join(" "));
}

/** Returns exactly `count` copies, as the elements of a sequence. */
function required(rule: string, count: number, rules: RuleSet): string[] {
  if (count === 0) return [];
  if (count <= blockLength) return [count === 1 ? rule : `${rule}{${count}}`];
  const block = rules.add(`${rule}{${blockLength}}`);
  return [
    ...required(block, Math.floor(count / blockLength), rules),
    ...required(rule, count % blockLength, rules),
  ];
}

/** Returns 0 to `count` copies, as one element. */
function optional(rule: string, count: number, rules: RuleSet): string {
  if (count === 1) return `${rule}?`;
  if (count <= blockLength) return `${rule}{0,${count}}`;
  let size = blockLength;
  while (size * blockLength <= count) size *= blockLength;
  const block = rules.add(required(rule, size, rules).join(" "));
  const begun = rules.nameOf(optional(rule, size - 1, rules));
  let rest = count % size === 0 ? '""' : optional(rule, count % size, rules);
  for (let blocks = Math.floor(count / size); blocks > 0; blocks--) {
    rest = rules.add(`${begun} | ${block}${rest === '""' ? "" : ` ${rest}`}`);
  }
  return rest;
}
