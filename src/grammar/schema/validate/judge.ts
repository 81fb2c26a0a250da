import type { SchemaNode } from "../node.js";
import type { Evaluated } from "./evaluated.js";
import type { Patterns } from "./patterns.js";
import type { ValueSets } from "./values.js";

/** What is wrong with an instance. Pointers are JSON pointers (RFC 6901). */
export interface Problem {
  readonly keyword: string;
  readonly schemaPointer: string;
  readonly instancePointer: string;
  /** For a person: what was expected, without the value. */
  readonly message: string;
}

/** A value and where it stands in the instance. */
export interface Spot {
  readonly value: unknown;
  readonly pointer: string;
}

/** One judgement under way, as the checks of single keywords see it. */
export interface Judge {
  readonly patterns: Patterns;
  readonly values: ValueSets;
  /** Holds a schema against a spot; what a passing schema evaluated is added to `into`. */
  judge(node: SchemaNode, spot: Spot, into: Evaluated | null): Problem | null;
  /** Accounts for one step of work. */
  take(spot: Spot): void;
}

export function problem(keyword: string, node: SchemaNode, spot: Spot, message: string): Problem {
  return { keyword, schemaPointer: node.pointer, instancePointer: spot.pointer, message };
}
