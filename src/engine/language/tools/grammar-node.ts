/**
 * The beginning of a call as a small expression, which becomes a grammar as a whole, or after a text that the model has already written.
 */
import { literal, type RuleSet } from "../../../grammar/gbnf.js";

export type GrammarNode =
  | { readonly type: "text"; readonly text: string }
  /** White space that may be omitted; where some of it is already written, any more is accepted. */
  | { readonly type: "layout"; readonly text: string; readonly begun?: boolean }
  | { readonly type: "sequence"; readonly nodes: readonly GrammarNode[] }
  | { readonly type: "choice"; readonly nodes: readonly GrammarNode[] }
  /** Characters of a GBNF class, without its brackets. */
  | { readonly type: "characters"; readonly set: string; readonly min: number; readonly max: number }
  /** The right side of a rule. What is written before it ends in front of it. */
  | { readonly type: "rule"; readonly text: string };

export const nothing: GrammarNode = { type: "sequence", nodes: [] };

export function text(written: string): GrammarNode {
  return written === "" ? nothing : { type: "text", text: written };
}

export function layout(written: string): GrammarNode {
  return { type: "layout", text: written };
}

export function sequence(...nodes: readonly GrammarNode[]): GrammarNode {
  const flat = nodes.flatMap((node) => (node.type === "sequence" ? node.nodes : [node]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { type: "sequence", nodes: flat };
}

export function choice(nodes: readonly GrammarNode[]): GrammarNode {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { type: "choice", nodes };
}

export function optional(node: GrammarNode): GrammarNode {
  return choice([node, nothing]);
}

/** Returns the pieces of a mark. */
export function markNode(pieces: readonly string[]): GrammarNode {
  return sequence(...pieces.map((piece) => (piece.trim() === "" ? layout(piece) : text(piece))));
}

/** Returns the right side of a rule; "" for nothing. */
export function rightSide(node: GrammarNode, rules: RuleSet): string {
  switch (node.type) {
    case "text":
      return literal(node.text);
    case "layout":
      if (node.begun === true) return "[ \\n]?";
      if (node.text === "") return "";
      return /\n/.test(node.text) ? "[ \\t\\r\\n]{0,4}" : "[ \\n]{0,2}";
    case "sequence":
      return node.nodes
        .map((each) => rightSide(each, rules))
        .filter((side) => side !== "")
        .join(" ");
    case "choice": {
      const sides = [...new Set(node.nodes.map((each) => rightSide(each, rules)))];
      return rules.add(sides.map((side) => (side === "" ? '""' : side)).join(" | "));
    }
    case "characters":
      return `[${node.set}]{${node.min},${node.max}}`;
    case "rule":
      return node.text;
  }
}

/** Returns what may follow after a text; null where the text does not begin so. */
export function after(node: GrammarNode, written: string): GrammarNode | null {
  let rest: GrammarNode | null = node;
  for (const character of written) {
    rest = afterCharacter(rest, character);
    if (rest === null) return null;
  }
  return rest;
}

function afterCharacter(node: GrammarNode, character: string): GrammarNode | null {
  switch (node.type) {
    case "text":
      return node.text.startsWith(character) ? text(node.text.slice(character.length)) : null;
    case "layout":
      return /\s/.test(character) ? { ...node, begun: true } : null;
    case "characters":
      if (node.max === 0 || !new RegExp(`[${node.set}]`).test(character)) return null;
      return { ...node, min: Math.max(0, node.min - 1), max: node.max - 1 };
    case "choice": {
      const rests = node.nodes.flatMap((each) => afterCharacter(each, character) ?? []);
      return rests.length === 0 ? null : choice(rests);
    }
    case "sequence":
      return afterInSequence(node.nodes, character);
    case "rule":
      return null;
  }
}

function afterInSequence(nodes: readonly GrammarNode[], character: string): GrammarNode | null {
  const rests: GrammarNode[] = [];
  for (const [at, node] of nodes.entries()) {
    const rest = afterCharacter(node, character);
    if (rest !== null) rests.push(sequence(rest, ...nodes.slice(at + 1)));
    if (!mayBeEmpty(node)) break;
  }
  return rests.length === 0 ? null : choice(rests);
}

function mayBeEmpty(node: GrammarNode): boolean {
  switch (node.type) {
    case "text":
    case "rule":
      return false;
    case "layout":
      return true;
    case "characters":
      return node.min === 0;
    case "choice":
      return node.nodes.some(mayBeEmpty);
    case "sequence":
      return node.nodes.every(mayBeEmpty);
  }
}
