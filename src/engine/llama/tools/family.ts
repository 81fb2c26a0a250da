/**
 * What is known of a family of models: how it writes its calls, by which texts of a chat template it is known, and what its
 * templates want of the history.
 */
import type { CallSyntax } from "./syntax.js";

/** What a template must hold: all of `all`, one of `any`, none of `none`. */
export interface Signs {
  readonly all: readonly string[];
  readonly any?: readonly string[];
  readonly none?: readonly string[];
}

export interface ToolFamily {
  readonly name: string;
  readonly signs: Signs;
  /** The first is the one that is written, in grammars and where the template does not write calls itself. */
  readonly syntaxes: readonly [CallSyntax, ...CallSyntax[]];
  /** The answer is a row of messages with headers and not text with calls in it. */
  readonly messages?: boolean;
  /** Arguments reach the template as JSON text and not as an object, where the template does not say. */
  readonly argumentsAsText?: boolean;
  /** What stands for the text of a turn that only calls. */
  readonly noContent?: null;
  /** What ids of calls look like in the history: nine letters and digits, or `functions.name:0`. */
  readonly ids?: "nine" | "numbered";
  /** A turn has one call. */
  readonly oneCall?: boolean;
  /** Definitions are a field `tools` of the system message, as JSON text. */
  readonly definitionsInSystem?: boolean;
  /** Around a result, where the template knows no role for it. */
  readonly resultMarks?: readonly [string, string];
}

/** Whether a template holds these signs. */
export function shows({ all, any, none }: Signs, template: string): boolean {
  const holds = (text: string): boolean => template.includes(text);
  return all.every(holds) && (any?.some(holds) ?? true) && !(none?.some(holds) ?? false);
}
