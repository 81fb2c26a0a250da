import { literal, type RuleSet } from "../../gbnf.js";
import { ExactNumber } from "../../regular/number/decimal.js";
import { jsonText } from "../../schema/json-text.js";
import type { JsonValue } from "../../schema/node.js";
import { colonWhitespace, whitespaceRule } from "./whitespace.js";

/** Marks in a value's text where white space is allowed. JSON text never contains these characters. */
const whitespaceMark = "\u0000";
const colonWhitespaceMark = "\u0001";

interface Branch {
  ends: boolean;
  readonly next: Map<string, Branch>;
}

/**
 * @returns a rule for the JSON texts of these values, as a trie: no two alternatives begin with the same
 * character
 */
export function emitValues(values: readonly JsonValue[], rules: RuleSet): string {
  const root: Branch = { ends: false, next: new Map() };
  for (const value of values) insert(root, markedText(value));
  return emitTree(root, rules);
}

/** Returns the JSON text of a value with marks where white space is allowed. */
function markedText(value: JsonValue): string {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return jsonText(value);
  const parts = Array.isArray(value)
    ? (value as readonly JsonValue[]).map(markedText)
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${colonWhitespaceMark}${markedText(item)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${whitespaceMark}${close}`;
  return `${open}${whitespaceMark}${parts.join(`,${whitespaceMark}`)}${whitespaceMark}${close}`;
}

function insert(root: Branch, text: string): void {
  let branch = root;
  for (const character of text) {
    let next = branch.next.get(character);
    if (next === undefined) {
      next = { ends: false, next: new Map() };
      branch.next.set(character, next);
    }
    branch = next;
  }
  branch.ends = true;
}

/** Emits the trie from the leaves up, with an explicit stack because texts can be long. */
function emitTree(root: Branch, rules: RuleSet): string {
  const done = new Map<Branch, string>();
  const stack: { readonly branch: Branch; readonly pending: Branch[] }[] = [
    { branch: root, pending: forks(root) },
  ];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const fork = top.pending.pop();
    if (fork !== undefined) {
      stack.push({ branch: fork, pending: forks(fork) });
      continue;
    }
    done.set(top.branch, rules.add(rightSide(top.branch, done, rules)));
    stack.pop();
  }
  return done.get(root) ?? "";
}

function rightSide(branch: Branch, done: ReadonlyMap<Branch, string>, rules: RuleSet): string {
  const alternatives = [...branch.next].map(([first, after]) => {
    const { text, end } = followUnbranched(first, after);
    const rest = end.next.size === 0 ? "" : ` ${done.get(end) ?? ""}`;
    return `${writeTerminals(text, rules)}${rest}`;
  });
  if (branch.ends) alternatives.push('""');
  return alternatives.join(" | ");
}

/** Returns the next branching points below this one. */
function forks(branch: Branch): Branch[] {
  return [...branch.next]
    .map(([first, after]) => followUnbranched(first, after).end)
    .filter((end) => end.next.size > 0);
}

/** Follows a branch until it ends or splits. */
function followUnbranched(first: string, after: Branch): { readonly text: string; readonly end: Branch } {
  let text = first;
  let end = after;
  while (!end.ends && end.next.size === 1) {
    const [only] = end.next;
    if (only === undefined) break;
    text += only[0];
    end = only[1];
  }
  return { text, end };
}

function writeTerminals(text: string, rules: RuleSet): string {
  // oxlint-disable-next-line no-control-regex -- the marks are control characters
  const parts = text.split(/([\u0000\u0001])/u).filter((part) => part !== "");
  return parts
    .map((part) =>
      part === whitespaceMark
        ? whitespaceRule(rules)
        : part === colonWhitespaceMark
          ? colonWhitespace
          : literal(part),
    )
    .join(" ");
}
