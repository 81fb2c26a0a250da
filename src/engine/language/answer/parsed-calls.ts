import type { DecodeJob } from "../../../core/engine.js";
import type { Tool } from "../../../core/generation.js";

export interface ParsedCalls {
  readonly tools: readonly Tool[];
  /** Whether their calls are left out. */
  readonly hidden: boolean;
}

/**
 * Returns the tools whose calls are parsed from a job's text, and whether these calls are left out of the answer: a model with calls in
 * its conversation may write one although none is wanted. Text with a schema has no calls then.
 */
export function parsedCalls({ tools, toolChoice, rules }: DecodeJob): ParsedCalls {
  const hidden = toolChoice.withheld !== undefined && rules.text === null;
  return { tools: hidden ? (toolChoice.withheld ?? []) : tools, hidden };
}
