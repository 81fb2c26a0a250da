/**
 * The turns of a run whose model may call tools of the server: where a turn ends with such calls, they are executed, and the next turn
 * continues the conversation with the calls and their results. Calls of the client's tools end the answer. All turns are one run: they
 * have one row and one settlement; each reserves its prompt when it comes, and what they may sample together is reserved at the start.
 */
import type { GenerationEnd, GenerationRequest } from "../../../core/generation.js";
import type { AnswerEvent } from "../../../core/tools/server-call.js";
import { addEvent } from "../../../core/usage.js";
import type { Execution } from "../execution.js";
import { generateOnSlot, type Prepared } from "../generate-on-slot.js";
import type { RunDeps, TextRun } from "../run-deps.js";
import { executeAllowedCalls } from "./allowed-calls.js";
import { nextTurn } from "./next-turn.js";
import { executeCalls, serverToolOf } from "./server-calls.js";
import { TurnMessage } from "./turn-message.js";

/** Turns of one answer. In the last one, the server's tools are withheld. */
const turnsMax = 16;
/** Calls of one answer that the server executes. */
const serverCallsMax = 32;

/** Whether the model may call tools of the server. */
export function hasTurns({ context, request }: Pick<TextRun, "context" | "request">): boolean {
  return (context.serverTools ?? []).length > 0 && request.choices === 1 && request.raw === undefined;
}

function callsMaxOf({ serverCallsMax: stated = serverCallsMax }: GenerationRequest): number {
  return Math.min(stated, serverCallsMax);
}

/**
 * Executes the calls that the user has allowed, if there are any.
 * @returns the first turn of the model; null when the conversation with the results does not fit.
 */
export async function openTurns(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  first: Prepared,
): Promise<Prepared | null> {
  const allowed = run.context.allowedCalls?.length ?? 0;
  if (allowed === 0) return first;
  const withholds = allowed >= callsMaxOf(run.request);
  return executeAllowedCalls(deps, run, execution, first, { emit: emitter(run, execution), withholds });
}

/** Generates all turns. @returns the end of the last one; null when it was aborted. */
export async function driveTurns(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  first: Prepared,
): Promise<GenerationEnd | null> {
  const { signal } = execution;
  const emit = emitter(run, execution);
  let prepared = first;
  let executed = run.context.allowedCalls?.length ?? 0;
  for (let turn = 1; ; turn += 1) {
    const answer = new TurnMessage(prepared.request.prefill ?? "");
    const end = await generateOnSlot(deps, run, execution, prepared, 0, (event) => answer.add(event));
    if (end === null) return null;
    const own = answer.calls.flatMap((call) => {
      const tool = serverToolOf(run, call.name);
      return tool === undefined ? [] : [{ ...call, tool }];
    });
    if (end.finishReason !== "tool_calls" || own.length === 0) return end;
    // While the calls are executed, the model may serve others, or make room for the model that a call needs.
    run.timings.turnEnded();
    execution.releaseModel();
    const callsLeft = turn < turnsMax ? callsMaxOf(run.request) - executed : 0;
    const results = await executeCalls({ run, clock: deps.clock, signal, emit, callsLeft }, own);
    executed += own.length;
    if (own.length < answer.calls.length || turn === turnsMax) return end;
    const isLast = turn + 1 === turnsMax || executed >= callsMaxOf(run.request);
    const next = await nextTurn(deps, run, execution, {
      before: prepared,
      turn,
      messages: [answer.message(), ...results],
      calls: answer.calls.length,
      withholds: isLast,
      reservedTokens: 0,
    });
    if (next === null) return { ...end, finishReason: "length" };
    prepared = next;
  }
}

/** Returns what counts and emits the events of calls. */
function emitter(run: TextRun, execution: Execution): (event: AnswerEvent) => void {
  return (event) => {
    execution.count((usage) => addEvent(usage, event));
    run.emit({ ...event, usage: execution.usage });
  };
}
