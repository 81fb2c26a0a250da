import { AutomatonTooLarge, type Automaton } from "../../regular/automaton.js";
import { patternAutomaton, PatternError } from "../../regular/pattern/pattern.js";
import { workingAt } from "../../work.js";
import type { SchemaNode } from "../node.js";
import { SchemaRefusal } from "../refusal.js";

interface PatternPlace {
  readonly keyword: string | null;
  readonly pointer: string;
}

/** The automata of a schema's patterns, by pattern source. */
export type Patterns = ReadonlyMap<string, Automaton>;

/**
 * Compiles all patterns of these nodes. @throws SchemaRefusal for a pattern that is malformed, too large, or
 * not regular
 */
export function compilePatterns(nodes: Iterable<SchemaNode>): Patterns {
  const patterns = new Map<string, Automaton>();
  const add = (source: string, keyword: string, pointer: string): void => {
    if (patterns.has(source)) return;
    const at = { keyword, pointer };
    patterns.set(
      source,
      workingAt(at, () => compilePattern(source, at)),
    );
  };
  for (const node of nodes) {
    if (node.pattern !== undefined) add(node.pattern, "pattern", node.pointer);
    for (const { pattern } of node.patternProperties ?? []) add(pattern, "patternProperties", node.pointer);
  }
  return patterns;
}

/**
 * Compiles a pattern.
 * @param written the pattern as its client has written it, for errors
 * @throws SchemaRefusal for one that is malformed, too large, or not regular
 */
export function compilePattern(source: string, at: PatternPlace, written = source): Automaton {
  try {
    const { automaton, exact } = patternAutomaton(source);
    if (exact) return automaton;
  } catch (thrown) {
    if (!(thrown instanceof PatternError) && !(thrown instanceof AutomatonTooLarge)) throw thrown;
    throw new SchemaRefusal(`The pattern ${quotePattern(written)} cannot be used: ${thrown.message}.`, at);
  }
  throw new SchemaRefusal(
    `The pattern ${quotePattern(written)} is not a regular expression in the strict sense; ` +
      "backreferences and lookaround inside a pattern are not supported.",
    at,
  );
}

function quotePattern(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}...` : source);
}
