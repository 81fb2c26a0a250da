/**
 * The description of a tool-call family: how its models write calls, which texts identify its chat templates, and how its templates
 * expect the conversation.
 */
import type { CallSyntax } from "./syntax.js";

/** Texts that a template must contain: all of `all`, one of `any`, none of `none`. */
interface Signs {
  readonly all: readonly string[];
  readonly any?: readonly string[];
  readonly none?: readonly string[];
}

export interface ToolFamily {
  readonly name: string;
  readonly signs: Signs;
  /** The first is written, in grammars and where the template does not write calls itself; the others are only read. */
  readonly syntaxes: readonly [CallSyntax, ...CallSyntax[]];
  /** The answer is a sequence of messages with headers instead of text that contains calls. */
  readonly messages?: boolean;
  /** Arguments are passed to the template as JSON text instead of an object, unless the template's text shows otherwise. */
  readonly argumentsAsText?: boolean;
  /** The content of a turn that contains only calls. */
  readonly emptyContent?: null;
  /** Text and calls are two turns. */
  readonly separatesText?: boolean;
  /** The format of call ids in the conversation: nine letters and digits, or `functions.name:0`. */
  readonly ids?: "nine" | "numbered";
  /** A turn has one call. */
  readonly oneCall?: boolean;
  /** Definitions are a field `tools` of the system message, as JSON text. */
  readonly definitionsInSystem?: boolean;
  /** Written between the prompt and a text answer. */
  readonly textOpening?: string;
  /** Markers around a tool result, where the template has no role for results. */
  readonly resultMarks?: readonly [string, string];
}

/** Returns whether a template matches these signs. */
export function matchesSigns({ all, any, none }: Signs, template: string): boolean {
  const contains = (text: string): boolean => template.includes(text);
  return all.every(contains) && (any?.some(contains) ?? true) && !(none?.some(contains) ?? false);
}
