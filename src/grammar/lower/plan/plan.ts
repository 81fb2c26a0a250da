import type { JsonValue } from "../../schema/node.js";
import type { Automaton } from "../../regular/automaton.js";
import type { Check, Clause, Contained, NumberShape, StringShape, Term } from "../language.js";

/** A key with a fixed position in the order of an object's members, or a required one of several. */
export interface Entry {
  readonly key: string | Automaton;
  readonly term: Term;
  readonly required: boolean;
}

/** Keys without a fixed position; they follow the others. */
export interface Extra {
  readonly names: Automaton;
  readonly term: Term;
}

/** An object shape, resolved to single keys. */
export interface ObjectPlan {
  readonly entries: readonly Entry[];
  readonly extras: readonly Extra[];
  readonly minProperties: number;
  readonly maxProperties: number | null;
  readonly clauses: readonly Clause[];
  readonly checks: readonly Check[];
}

/** An array shape, resolved to single items. `rest` null: no items after the prefix. */
export interface ArrayPlan {
  readonly prefix: readonly Term[];
  readonly rest: Term | null;
  readonly minItems: number;
  readonly maxItems: number | null;
  readonly contained: Contained | null;
  /** For unique items: the possible values, each used at most once, in any order. */
  readonly distinct: readonly JsonValue[] | null;
  /** Whether items must differ although the rules allow equal ones. */
  readonly marked: boolean;
  readonly checks: readonly Check[];
}

/** The language of a term, with its arrays and objects resolved. */
export interface TermPlan {
  readonly values: readonly JsonValue[];
  readonly numbers: readonly NumberShape[];
  readonly strings: readonly StringShape[];
  readonly arrays: readonly ArrayPlan[];
  readonly objects: readonly ObjectPlan[];
  /** JSON Pointer of the term's schema in the document. */
  readonly pointer: string;
}
