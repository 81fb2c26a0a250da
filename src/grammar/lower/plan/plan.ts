import type { JsonValue } from "../../schema/node.js";
import type { Automaton } from "../../regular/automaton.js";
import type { Check, Clause, Contained, NumberShape, StringShape, Term } from "../language.js";

/** A key that has its own place in the order of an object. */
export interface Entry {
  readonly key: string;
  readonly term: Term;
  readonly required: boolean;
}

/** Keys without a place of their own, written after the others. */
export interface Extra {
  readonly names: Automaton;
  readonly term: Term;
}

/** An object shape, worked out key by key. */
export interface ObjectPlan {
  readonly entries: readonly Entry[];
  readonly extras: readonly Extra[];
  readonly minProperties: number;
  readonly maxProperties: number | null;
  readonly clauses: readonly Clause[];
  readonly checks: readonly Check[];
}

/** An array shape, worked out item by item; `rest` null: nothing after the prefix. */
export interface ArrayPlan {
  readonly prefix: readonly Term[];
  readonly rest: Term | null;
  readonly minItems: number;
  readonly maxItems: number | null;
  readonly contained: Contained | null;
  /** The values of the items, each at most once, in any order. */
  readonly distinct: readonly JsonValue[] | null;
  readonly checks: readonly Check[];
}

/** A term's language, worked out. */
export interface TermPlan {
  readonly values: readonly JsonValue[];
  readonly numbers: readonly NumberShape[];
  readonly strings: readonly StringShape[];
  readonly arrays: readonly ArrayPlan[];
  readonly objects: readonly ObjectPlan[];
  /** Where the term stands in the document. */
  readonly pointer: string;
}
