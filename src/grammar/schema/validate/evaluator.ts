import type { SchemaNode } from "../node.js";
import type { EvaluatedParts } from "./evaluated.js";
import type { Patterns } from "./patterns.js";
import type { ValueSets } from "./values.js";

/** Why an instance is invalid. Pointers are JSON Pointers (RFC 6901). */
export interface Problem {
  readonly keyword: string;
  readonly schemaPointer: string;
  readonly instancePointer: string;
  /** A message for people: what was expected, without the value. */
  readonly message: string;
}

/** A value of the instance and its JSON Pointer. */
export interface InstanceLocation {
  readonly value: unknown;
  readonly pointer: string;
}

/** One validation in progress, as the checks of single keywords see it. */
export interface Evaluator {
  readonly patterns: Patterns;
  readonly values: ValueSets;
  /**
   * Validates a value against a schema. If it is valid, the names and items it evaluated are added to `into`.
   */
  evaluate(node: SchemaNode, location: InstanceLocation, into: EvaluatedParts | null): Problem | null;
  /** Counts one step of work. @throws when the validation takes too many steps */
  countStep(location: InstanceLocation): void;
}

export function problem(
  keyword: string,
  node: SchemaNode,
  location: InstanceLocation,
  message: string,
): Problem {
  return { keyword, schemaPointer: node.pointer, instancePointer: location.pointer, message };
}
