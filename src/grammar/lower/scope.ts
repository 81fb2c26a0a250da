import type { Automaton } from "../regular/automaton.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";
import type { Language, Term } from "./language.js";
import type { Terms } from "./term.js";

/** What every part of the work on one schema graph may ask; languages.ts answers. */
export interface Scope {
  readonly terms: Terms;
  /** Whether the absence of additionalProperties closes an object that declares some. */
  readonly closes: boolean;
  /** What satisfies the schema, or more. */
  holding(node: SchemaNode): Language;
  /** What does not satisfy it, or more. */
  denying(node: SchemaNode): Language;
  language(term: Term): Language;
  /** Whether the term is known to allow nothing. */
  isNever(term: Term): boolean;
  valid(term: Term, value: JsonValue): boolean;
  /** Both at once, for the schema at this pointer. */
  meet(a: Language, b: Language, keyword: string, pointer: string): Language;
  pattern(source: string): Automaton;
  /** Without these texts. @throws AutomatonTooLarge */
  without(automaton: Automaton, texts: ReadonlySet<string>): Automaton;
  /** Counts work. @throws SchemaRefusal when it is too much */
  step(count?: number): void;
}
