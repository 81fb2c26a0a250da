import type { Automaton } from "../regular/automaton.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";
import type { Language, Term } from "./language.js";
import type { Terms } from "./term.js";

/** The shared services for lowering one schema graph; languages.ts implements them. */
export interface GrammarScope {
  readonly terms: Terms;
  /** Whether an object that declares properties but no additionalProperties is closed. */
  readonly closesObjects: boolean;
  /** Returns a superset of the values that satisfy the schema. */
  satisfying(node: SchemaNode): Language;
  /** Returns a superset of the values that do not satisfy the schema. */
  complement(node: SchemaNode): Language;
  language(term: Term): Language;
  /** Returns whether the term is known to allow no value. */
  isNever(term: Term): boolean;
  isValid(term: Term, value: JsonValue): boolean;
  /** Returns the intersection; a check that it needs names this keyword and pointer. */
  intersect(a: Language, b: Language, keyword: string, pointer: string): Language;
  pattern(source: string): Automaton;
  /** Returns the automaton without these texts. @throws AutomatonTooLarge */
  withoutTexts(automaton: Automaton, texts: ReadonlySet<string>): Automaton;
}
