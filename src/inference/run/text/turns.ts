/**
 * The turns of a run whose model may call tools of the server: where a turn ends with such calls, they are executed, and the next turn
 * continues the conversation with the calls and their results. Calls of the client's tools end the answer. All turns are one run: they
 * have one row and one settlement; each reserves its prompt when it comes, and what they may sample together is reserved at the start.
 *
 * Calls that the user has allowed are executed before the first turn of the model, like a turn whose answer is known.
 */
import type { GenerationEnd, GenerationRequest, Message } from "../../../core/generation.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import type { AllowedCall } from "../run-context.js";
import { prepareNextTurn } from "./next-turn.js";
import { executeCalls, findServerTool, type NumberedCall } from "./server-calls.js";
import type { TextRun } from "./text-run.js";
import { TurnMessage } from "./turn-message.js";
import { generateTurn, type Turn } from "./turn.js";

/** Turns of one answer. In the last one, the server's tools are withheld. */
const turnsMax = 16;
/** Calls of one answer that the server executes. */
const serverCallsMax = 32;

/** The end of an answer whose conversation does not fit once it has the results of the allowed calls. */
export const tooLongEnd: GenerationEnd = {
  type: "generation-end",
  choice: 0,
  finishReason: "length",
  stopSequence: null,
};

/** Whether the model may call tools of the server. */
export function hasTurns({ context, request }: TextRun): boolean {
  return (context.serverTools ?? []).length > 0 && request.choices === 1 && request.raw === undefined;
}

function limitCalls({ serverCallsMax: stated = serverCallsMax }: GenerationRequest): number {
  return Math.min(stated, serverCallsMax);
}

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
 * Executes the calls that the user has allowed, if there are any, once the run's row and its reservation are written.
 * @param first with a conversation of `withAllowedCalls`.
 * @returns the first turn of the model; null when its conversation does not fit. @throws the signal's reason when it aborts.
 */
export async function openTurns(run: TextRun, first: Turn): Promise<Turn | null> {
  const { allowedCalls = [] } = run.context;
  if (allowedCalls.length === 0) return first;
  const calls = allowedCalls.map(({ id, tool, arguments: json }, at): NumberedCall => {
    return { id, name: tool.name, arguments: json, tool, index: first.firstCall + at };
  });
  // Nothing is executed that is not reserved.
  await run.money.record();
  for (const { id, name, index, arguments: json } of calls) {
    run.emitCounted({ type: "tool-call-start", choice: 0, index, id, name, tokens: 0 });
    run.emitCounted({ type: "tool-call-delta", choice: 0, index, arguments: json, tokens: 0 });
    run.emitCounted({ type: "tool-call-end", choice: 0, index, tokens: 0 });
  }
  run.releaseModel();
  const messages = await executeCalls(run, calls, calls.length);
  const { conversation, prompts } = first;
  const asked = conversation.messages.slice(0, -calls.length);
  return prepareNextTurn(run, {
    before: { ...first, conversation: { ...conversation, messages: asked } },
    turn: 0,
    messages,
    calls: calls.length,
    withholds: calls.length >= limitCalls(run.request),
    reservedTokens: prompts.reduce((sum, prompt) => sum + countPromptTokens(prompt), 0),
  });
}

/** Generates all turns. @returns the end of the last one; null when it was aborted. */
export async function driveTurns(run: TextRun, first: Turn): Promise<GenerationEnd | null> {
  const callsMax = limitCalls(run.request);
  let before = first;
  let executed = run.context.allowedCalls?.length ?? 0;
  for (let turn = 1; ; turn += 1) {
    const answer = new TurnMessage(before.request.prefill ?? "");
    const end = await generateTurn(run, before, 0, (event) => answer.add(event));
    if (end === null) return null;
    const own = answer.calls.flatMap((call) => {
      const tool = findServerTool(run, call.name);
      return tool === undefined ? [] : [{ ...call, tool }];
    });
    if (end.finishReason !== "tool_calls" || own.length === 0) return end;
    // While the calls are executed, the model may serve others, or make room for the model that a call needs.
    run.timings.turnEnded();
    run.releaseModel();
    const results = await executeCalls(run, own, turn < turnsMax ? callsMax - executed : 0);
    executed += own.length;
    if (own.length < answer.calls.length || turn === turnsMax) return end;
    const next = await prepareNextTurn(run, {
      before,
      turn,
      messages: [answer.message(), ...results],
      calls: answer.calls.length,
      withholds: turn + 1 === turnsMax || executed >= callsMax,
      reservedTokens: 0,
    });
    if (next === null) return { ...end, finishReason: "length" };
    before = next;
  }
}
