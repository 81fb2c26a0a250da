/**
 * The turns of a run whose model may call tools of the server: where a turn ends with such calls, they are executed, and the next turn
 * continues the conversation with the calls and their results. Calls of the client's tools end the answer. All turns are one run: they
 * have one row and one settlement; each reserves its prompt when it comes, and what they may sample together is reserved at the start.
 *
 * Calls that the user has allowed are executed before the first turn of the model, like a turn whose answer is known.
 */
import type { GenerationEnd, GenerationRequest, Message, ToolChoice } from "../../../core/generation.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import type { AllowedCall, ServerTool } from "../run-context.js";
import type { TextRun } from "./text-run.js";
import { TurnMessage, type TurnCall } from "./turn-message.js";
import { generateTurn, type Turn } from "./turn.js";
import type { LoadedModel } from "../../../core/engine.js";
import { HearthError, toHearthError } from "../../../core/errors.js";
import type { PreparedConversation } from "../../prompt/captioning.js";
import { countSampled } from "../../../core/usage.js";
import { buildPrompts, nullIfTooLong } from "../../prompt/prompts.js";
import { unlessAborted } from "../../abortable.js";
import { boundPromptTokens } from "./token-bound.js";
import { resultImage, type ServerCallResult } from "../../../core/tools/server-call.js";

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

// Prepares a turn of a run that continues the turn before, and reserves what it can cost.

interface NextTurn {
  readonly before: Turn;
  /** The number of the turn before, from 1; 0: there was none. */
  readonly turn: number;
  /** What it adds to the conversation. */
  readonly messages: readonly Message[];
  readonly calls: number;
  /** Whether the tools of the server must not be called any more. */
  readonly withholds: boolean;
  /** Prompt tokens that are reserved and that no turn has used. */
  readonly reservedTokens: number;
}

/**
 * Prepares the next turn. @returns null when no tokens are left, or the conversation does not fit.
 * @throws HearthError `no_credits` or `budget_exceeded` when the turn cannot be reserved.
 */
async function prepareNextTurn(
  run: TextRun,
  { before, turn, messages, calls, withholds, reservedTokens }: NextTurn,
): Promise<Turn | null> {
  const { signal, services, model, money } = run;
  const maxTokens = before.sampledMax + run.discardedTokens - countSampled(money.usage);
  if (maxTokens <= 0) return null;
  const loaded = await run.load(services.load(model, signal));
  const added = await prepareResults(run, messages, loaded);
  const conversation: PreparedConversation = {
    messages: [...before.conversation.messages, ...added.messages],
    imageTexts: new Map([...before.conversation.imageTexts, ...added.imageTexts]),
  };
  const { prefill: _, ...request } = before.request;
  // The prompt has all tools in any case, so that it continues the one before.
  const building = buildPrompts(services.engine, model, loaded, request, conversation);
  const built = await unlessAborted(nullIfTooLong(building), signal);
  if (built === null) return null;
  const promptTokens = boundPromptTokens(built.prompts);
  await money.reserveMore({ prompt: Math.max(0, promptTokens - reservedTokens), sampled: 0 });
  const choosing = turn === 0 ? before : withLaterChoice(before);
  const prepared = withholds ? withoutServerTools(run, choosing) : choosing;
  const { toolChoice, tools } = prepared.request;
  return {
    ...prepared,
    ...built,
    request: { ...request, tools, toolChoice, maxTokens, maxTokensExcludesReasoning: false },
    conversation,
    loaded,
    callIdInfix: `t${turn}c`,
    firstCall: before.firstCall + calls,
  };
}

/** Reads the images of results. One that cannot be read is only mentioned: no field of the request is to blame. */
async function prepareResults(
  { services: { media }, teamId, signal }: TextRun,
  messages: readonly Message[],
  { reads }: LoadedModel,
): Promise<PreparedConversation> {
  try {
    return await unlessAborted((async () => media.prepare(messages, reads, teamId, signal))(), signal);
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof HearthError)) throw thrown;
    const mentioned = messages.map(({ images = [], ...message }) => ({
      ...message,
      content: [message.content, ...images.map(() => "[image that cannot be described]")].join("\n"),
    }));
    return { messages: mentioned, imageTexts: new Map() };
  }
}

/** What the request forces has happened in its first turn: later ones may call any tool, or none. */
function withLaterChoice({ request, ...rest }: Turn): Turn {
  return { ...rest, request: { ...request, toolChoice: laterChoice(request.toolChoice) } };
}

function laterChoice({ forced, ...choice }: ToolChoice): ToolChoice {
  if (forced !== undefined)
    return { ...choice, mode: "auto", names: null, parallel: forced.parallelAfterwards };
  return choice.mode === "required" ? { ...choice, mode: "auto" } : choice;
}

/** Keeps the model from calling tools of the server. */
function withoutServerTools(run: TextRun, { request, validator, ...rest }: Turn): Turn {
  const { tools, toolChoice } = request;
  const allowed = toolChoice.names ?? tools.map(({ name }) => name);
  const names = allowed.filter((name) => findServerTool(run, name) === undefined);
  if (names.length > 0)
    return { ...rest, validator, request: { ...request, toolChoice: { ...toolChoice, names } } };
  const none = { ...toolChoice, mode: "none", names: null, withheld: tools } as const;
  return {
    ...rest,
    validator: { ...validator, rules: { ...validator.rules, toolArguments: [] } },
    request: { ...request, tools: [], toolChoice: none },
  };
}

// Executes the calls of a turn whose tools are the server's. A call that fails has a result, too.

/** Calls of one answer that are executed at the same time. */
const callsActiveMax = 4;
/** Time after which a call has failed. */
const callTimeoutMs = 10 * 60 * 1000;
/** Characters of a result that the model reads. */
const resultCharsMax = 200_000;

/** A call that the server executes. */
interface NumberedCall extends TurnCall {
  readonly tool: ServerTool;
}

/**
 * Executes calls, a few at a time, and emits the start and the end of each.
 * @param callsLeft calls that may still be executed; the others fail.
 * @returns their results as the model reads them, in the order of the calls.
 * @throws the signal's reason when it aborts.
 */
async function executeCalls(
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
function findServerTool({ context }: TextRun, name: string): ServerTool | undefined {
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
