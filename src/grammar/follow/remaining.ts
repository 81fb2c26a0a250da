/**
 * Writes what remains of a grammar after the beginning of a text as a grammar of its own, so that an engine which starts grammars at
 * their beginning only can go on in the middle of a text.
 */
import { literal } from "../gbnf.js";
import type { Expression } from "./expression.js";
import type { ReadyStacks, Stack } from "./stacks.js";

/**
 * Returns GBNF text that matches what may follow.
 * @param rules the rules of the grammar by name, without the rule of the whole text
 */
export function remainingGrammar(
  stacks: ReadyStacks,
  rules: Iterable<readonly [name: string, rightSide: string]>,
): string {
  const alternatives = new Set(stacks.map((stack) => writeAlternative(stack)));
  const lines = [`root ::= ${[...alternatives].join(" | ")}`];
  for (const [name, rightSide] of rules) lines.push(`${name} ::= ${rightSide}`);
  return `${lines.join("\n")}\n`;
}

function writeAlternative(stack: Stack | null): string {
  const parts: string[] = [];
  for (let rest = stack; rest !== null; rest = rest.rest) parts.push(writeText(rest.head));
  const written = parts.filter((part) => part !== "");
  return written.length === 0 ? '""' : written.join(" ");
}

function writeText(expression: Expression): string {
  switch (expression.kind) {
    case "text":
      return expression.points.length === 0 ? "" : literal(String.fromCodePoint(...expression.points));
    case "class":
      return classText(expression);
    case "rule":
      return expression.name;
    case "sequence":
      return expression.parts.length === 0 ? "" : `(${expression.parts.map(writeText).join(" ")})`;
    case "choice":
      return `(${expression.parts.map((part) => writeText(part) || '""').join(" | ")})`;
    case "repeat":
      return repeatText(expression);
  }
}

function repeatText({ part, min, max }: Extract<Expression, { kind: "repeat" }>): string {
  const text = writeText(part);
  if (text === "" || max === 0) return "";
  if (min === 0 && max === null) return `(${text})*`;
  if (min === 1 && max === null) return `(${text})+`;
  if (min === 0 && max === 1) return `(${text})?`;
  return `(${text}){${min},${max ?? ""}}`;
}

function classText({ ranges, negated }: Extract<Expression, { kind: "class" }>): string {
  if (ranges.length === 0) return ".";
  const written: string[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const [low, high] = [ranges[at] ?? 0, ranges[at + 1] ?? 0];
    written.push(low === high ? pointText(low) : `${pointText(low)}-${pointText(high)}`);
  }
  return `[${negated ? "^" : ""}${written.join("")}]`;
}

function pointText(point: number): string {
  const character = point < 0x80 ? String.fromCharCode(point) : "";
  if (/[A-Za-z0-9]/.test(character)) return character;
  if (point <= 0xff) return `\\x${point.toString(16).padStart(2, "0")}`;
  if (point <= 0xffff) return `\\u${point.toString(16).padStart(4, "0")}`;
  return `\\U${point.toString(16).padStart(8, "0")}`;
}
