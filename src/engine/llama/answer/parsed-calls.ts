import type { DecodeJob } from "../../../core/engine.js";
import type { Tool } from "../../../core/generation.js";

/**
 * Returns the tools whose calls are parsed from a job's text, and whether these calls are left out of the answer: a model with calls in
 * its conversation may write one although none is wanted. Text with a schema has no calls then.
 */
export function parsedCalls({
  tools,
  toolChoice,
  rules,
}: Pick<DecodeJob, "tools" | "toolChoice" | "rules">): {
  readonly tools: readonly Tool[];
  readonly hidden: boolean;
} {
  const hidden = toolChoice.withheld !== undefined && rules.text === null;
  return { tools: hidden ? (toolChoice.withheld ?? []) : tools, hidden };
}
