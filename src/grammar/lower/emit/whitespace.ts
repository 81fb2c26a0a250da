import type { RuleSet } from "../../gbnf.js";

/**
 * The deepest indentation that is generated. It is bounded so that a model cannot emit white space forever.
 */
const indentMax = 48;

/** White space after a colon: nothing or one space. */
export const colonWhitespace = '" "?';

/** Returns the rule for white space after an opening bracket or a comma, and before a closing bracket. */
export function whitespaceRule(rules: RuleSet): string {
  return rules.add(`(" " | "\\n" [ \\t]{0,${indentMax}})?`);
}
