import { isDeepStrictEqual } from "node:util";
import type { Expectation } from "./items.js";

/** What the model answered, as far as an expectation asks for it. */
export interface Answer {
  readonly content: string;
  readonly reasoning: string;
  readonly finishReason: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
}

/** What the answer lacks, in words; empty when it is as expected. Case counts in `exact` alone. */
export function shortcomings(answer: Answer, expected: Expectation): readonly string[] {
  const said = answer.content.trim();
  const has = (text: string): boolean => said.toLowerCase().includes(text.toLowerCase());
  const lacks: string[] = [];
  if (expected.exact !== undefined && said !== expected.exact.trim())
    lacks.push(`is not ${JSON.stringify(expected.exact)}`);
  for (const text of expected.contains ?? []) if (!has(text)) lacks.push(`lacks ${JSON.stringify(text)}`);
  if (expected.anyOf !== undefined && !expected.anyOf.some(has))
    lacks.push(`has none of ${JSON.stringify(expected.anyOf)}`);
  if (expected.toolCall === undefined && answer.toolCalls.length > 0) lacks.push("calls a tool");
  if (expected.toolCall !== undefined && !callsTool(answer, expected.toolCall))
    lacks.push(`does not call ${JSON.stringify(expected.toolCall)}`);
  if (expected.thinks !== undefined && expected.thinks !== (answer.reasoning.trim() !== ""))
    lacks.push(expected.thinks ? "does not think" : "thinks");
  if (expected.ends !== undefined && expected.ends !== ["stop", "tool_calls"].includes(answer.finishReason))
    lacks.push(expected.ends ? `does not end its turn (${answer.finishReason})` : "ends its turn");
  return lacks;
}

function callsTool(answer: Answer, expected: NonNullable<Expectation["toolCall"]>): boolean {
  const [call, ...others] = answer.toolCalls;
  if (call === undefined || others.length > 0 || call.name !== expected.name) return false;
  return expected.arguments === undefined || isDeepStrictEqual(parsed(call.arguments), expected.arguments);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
