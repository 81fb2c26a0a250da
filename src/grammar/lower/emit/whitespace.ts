import type { RuleBook } from "../../gbnf.js";

/** Deepest indentation that is generated. Bounded, for a model must not write white space for ever. */
const indentMax = 48;

/** After a colon: nothing or a space. */
export const colonGap = '" "?';

/** A rule for what may stand after an opening bracket or a comma, and before a closing bracket. */
export function gapRule(rules: RuleBook): string {
  return rules.add(`(" " | "\\n" [ \\t]{0,${indentMax}})?`);
}
