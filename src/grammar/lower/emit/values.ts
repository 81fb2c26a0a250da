import { literal, type RuleBook } from "../../gbnf.js";
import type { JsonValue } from "../../schema/node.js";
import { colonGap, gapRule } from "./whitespace.js";

/** Stand for the places inside a value's text where white space may be; no JSON text holds them. */
const gapMark = "\u0000";
const colonGapMark = "\u0001";

interface Branch {
  ends: boolean;
  readonly next: Map<string, Branch>;
}

/** @returns a rule for the JSON texts of these values, as a tree: no two alternatives begin alike */
export function emitValues(values: readonly JsonValue[], rules: RuleBook): string {
  const root: Branch = { ends: false, next: new Map() };
  for (const value of values) insert(root, marked(value));
  return emitTree(root, rules);
}

/** The text of a value with the places for white space marked. */
function marked(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? (value as readonly JsonValue[]).map(marked)
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${colonGapMark}${marked(item)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${gapMark}${close}`;
  return `${open}${gapMark}${parts.join(`,${gapMark}`)}${gapMark}${close}`;
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

/** From the leaves up, on a stack of its own: a text may be long. */
function emitTree(root: Branch, rules: RuleBook): string {
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

function rightSide(branch: Branch, done: ReadonlyMap<Branch, string>, rules: RuleBook): string {
  const alternatives = [...branch.next].map(([first, after]) => {
    const { text, end } = straight(first, after);
    const rest = end.next.size === 0 ? "" : ` ${done.get(end) ?? ""}`;
    return `${spelled(text, rules)}${rest}`;
  });
  if (branch.ends) alternatives.push('""');
  return alternatives.join(" | ");
}

/** The branches at which the ways out of this one part again. */
function forks(branch: Branch): Branch[] {
  return [...branch.next]
    .map(([first, after]) => straight(first, after).end)
    .filter((end) => end.next.size > 0);
}

/** Follows a branch as long as there is one way on. */
function straight(first: string, after: Branch): { readonly text: string; readonly end: Branch } {
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

function spelled(text: string, rules: RuleBook): string {
  // eslint-disable-next-line no-control-regex -- the marks are control characters
  const parts = text.split(/([\u0000\u0001])/u).filter((part) => part !== "");
  return parts
    .map((part) => (part === gapMark ? gapRule(rules) : part === colonGapMark ? colonGap : literal(part)))
    .join(" ");
}
