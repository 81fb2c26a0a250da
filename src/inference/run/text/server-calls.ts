/** Executes the calls of a turn whose tools are the server's. A call that fails has a result, too. */
import { toHearthError } from "../../../core/errors.js";
import type { Message } from "../../../core/generation.js";
import { resultImage, type ServerCallResult } from "../../../core/tools/server-call.js";
import { unlessAborted } from "../../abortable.js";
import type { ServerTool } from "../run-context.js";
import type { TextRun } from "./text-run.js";
import type { TurnCall } from "./turn-message.js";

/** Calls of one answer that are executed at the same time. */
const callsActiveMax = 4;
/** Time after which a call has failed. */
const callTimeoutMs = 10 * 60 * 1000;
/** Characters of a result that the model reads. */
const resultCharsMax = 200_000;

/** A call that the server executes. */
export interface NumberedCall extends TurnCall {
  readonly tool: ServerTool;
}

/**
 * Executes calls, a few at a time, and emits the start and the end of each.
 * @param callsLeft calls that may still be executed; the others fail.
 * @returns their results as the model reads them, in the order of the calls.
 * @throws the signal's reason when it aborts.
 */
export async function executeCalls(
  run: TextRun,
  calls: readonly NumberedCall[],
  callsLeft: number,
): Promise<readonly Message[]> {
  const results: Message[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at];
      if (call === undefined) return;
      const place = { choice: 0, index: call.index };
      run.emitCounted({ type: "server-call-start", ...place });
      const result = at < callsLeft ? await executeCall(run, call) : failedResult(tooManyCalls);
      run.signal.throwIfAborted();
      results[at] = toModelMessage(call.id, result);
      run.emitCounted({ type: "server-call-end", ...place, result });
    }
  };
  await Promise.all(Array.from({ length: Math.min(callsActiveMax, calls.length) }, worker));
  return results;
}

function toModelMessage(
  toolCallId: string,
  { content: whole, image, images = [] }: ServerCallResult,
): Message {
  const content = whole.slice(0, resultCharsMax);
  const within = images.filter(({ at }) => at <= content.length);
  const read = within.map((each) => ({ ...each, detail: "auto" as const, param: "tools" }));
  const all = image === undefined ? read : [...read, resultImage(image, content)];
  return { role: "tool", toolCallId, content, images: all.length === 0 ? undefined : all };
}

const tooManyCalls = "The call was not executed: the answer has as many calls as it may have.";

async function executeCall(
  { context, signal, services }: TextRun,
  call: NumberedCall,
): Promise<ServerCallResult> {
  const { id, tool, arguments: argumentsText } = call;
  const args = parseArguments(call);
  if (args === null) return failedResult("The arguments are not a JSON object.");
  const limit = new AbortController();
  const stop = services.clock.after(callTimeoutMs, () => limit.abort(new Error("timed out")));
  const either = AbortSignal.any([signal, limit.signal]);
  const { principal, requestId, endpoint, workClass, pricePercent } = context;
  const caller = {
    principal,
    requestId,
    endpoint,
    workClass,
    pricePercent,
  };
  try {
    const running = tool.run({ id, arguments: args, argumentsText, caller, signal: either });
    return await unlessAborted(running, either);
  } catch (thrown) {
    if (limit.signal.aborted) return failedResult("The call took too long and was ended.");
    return failedResult(`The call failed: ${toHearthError(thrown).message}`);
  } finally {
    stop();
  }
}

/** Returns the tool of the server that a name means, if it is one. */
export function findServerTool({ context }: TextRun, name: string): ServerTool | undefined {
  return context.serverTools?.find((tool) => tool.name === name);
}

function failedResult(content: string): ServerCallResult {
  return { failed: true, content, costTicks: 0 };
}

function parseArguments({ arguments: json }: TurnCall): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json === "" ? "{}" : json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
