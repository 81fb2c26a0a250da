/**
 * Calls that the user has allowed. They are executed inside the run, when its row and its reservation are written, and before the first
 * turn of the model: like a turn whose answer is known.
 */
import type { Message } from "../../../core/generation.js";
import type { AnswerEvent } from "../../../core/tools/server-call.js";
import type { Execution } from "../execution.js";
import type { Prepared } from "../generate-on-slot.js";
import type { AllowedCall, RunDeps, TextRun } from "../run-deps.js";
import { nextTurn } from "./next-turn.js";
import { executeCalls, type NumberedCall } from "./server-calls.js";

/** Returns a conversation with calls that have empty results: the first turn of the model reads at least this. */
export function withAllowedCalls(
  messages: readonly Message[],
  calls: readonly AllowedCall[] = [],
): readonly Message[] {
  if (calls.length === 0) return messages;
  const toolCalls = calls.map(({ id, tool, arguments: json }) => ({ id, name: tool.name, arguments: json }));
  const results = calls.map(({ id }): Message => ({ role: "tool", content: "", toolCallId: id }));
  const last = messages.at(-1);
  // The model has written its text and its calls in one message.
  if (last?.role === "assistant" && last.toolCalls === undefined)
    return [...messages.slice(0, -1), { ...last, toolCalls }, ...results];
  return [...messages, { role: "assistant", content: "", toolCalls }, ...results];
}

/**
 * Executes the calls. @param first with a conversation of `withAllowedCalls`.
 * @returns the first turn of the model; null when its conversation does not fit. @throws the signal's reason when it aborts.
 */
export async function executeAllowedCalls(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  first: Prepared,
  { emit, withholds }: { readonly emit: (event: AnswerEvent) => void; readonly withholds: boolean },
): Promise<Prepared | null> {
  const { allowedCalls = [] } = run.context;
  const calls = allowedCalls.map(({ id, tool, arguments: json }, at): NumberedCall => {
    return { id, name: tool.name, arguments: json, tool, index: first.firstCall + at };
  });
  // Nothing is executed that is not reserved.
  await first.record();
  for (const { id, name, index, arguments: json } of calls) {
    emit({ type: "tool-call-start", choice: 0, index, id, name, tokens: 0 });
    emit({ type: "tool-call-delta", choice: 0, index, arguments: json, tokens: 0 });
    emit({ type: "tool-call-end", choice: 0, index, tokens: 0 });
  }
  execution.releaseModel();
  const { signal } = execution;
  const callsLeft = calls.length;
  const messages = await executeCalls({ run, clock: deps.clock, signal, emit, callsLeft }, calls);
  const { conversation, prompts } = first;
  const asked = conversation.messages.slice(0, -calls.length);
  return nextTurn(deps, run, execution, {
    before: { ...first, conversation: { ...conversation, messages: asked } },
    turn: 0,
    messages,
    calls: calls.length,
    withholds,
    reservedTokens: prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
  });
}
