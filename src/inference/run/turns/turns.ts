/**
 * The turns of a run whose model may call tools of the server: where a turn ends with such calls, they are executed, and the next turn
 * continues the conversation with the calls and their results. Calls of the client's tools end the answer. All turns are one run: they
 * have one row, one reservation and one settlement.
 */
import type { LoadedModel } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { GenerationEnd, GenerationEvent, GenerationRequest, Message } from "../../../core/generation.js";
import type { AnswerEvent } from "../../../core/tools/server-call.js";
import { addEvent } from "../../../core/usage.js";
import type { CaptionedConversation } from "../../prompt/captioning.js";
import { buildPrompts } from "../../prompt/prompts.js";
import { unlessAborted } from "../abortable.js";
import type { Execution } from "../execution.js";
import { generateOnSlot, type Prepared } from "../generate-on-slot.js";
import type { RunDeps, TextRun } from "../run-deps.js";
import { executeCalls, serverToolOf, type NumberedCall } from "./server-calls.js";

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

/** Returns the most tokens that all turns can use. @param one those of the first turn */
export function boundOfTurns(
  request: GenerationRequest,
  one: { readonly prompt: number; readonly sampled: number },
  { contextTokens }: Pick<LoadedModel, "contextTokens">,
): { readonly prompt: number; readonly sampled: number } {
  const laterTurns = Math.min(turnsMax - 1, callsMaxOf(request));
  return { prompt: one.prompt + laterTurns * contextTokens, sampled: one.sampled };
}

/** Generates all turns. @returns the end of the last one; null when it was aborted. */
export async function driveTurns(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  first: Prepared,
): Promise<GenerationEnd | null> {
  const { signal } = execution;
  const emit = (event: AnswerEvent): void => {
    execution.usage = addEvent(execution.usage, event);
    run.emit({ ...event, usage: execution.usage });
  };
  let prepared = first;
  let executed = 0;
  for (let turn = 1; ; turn += 1) {
    const answer = new TurnFold(prepared.request.prefill ?? "");
    const end = await generateOnSlot(deps, run, execution, prepared, 0, (event) => answer.add(event));
    if (end === null) return null;
    const own = answer.calls.filter(({ name }) => serverToolOf(run, name) !== undefined);
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
    });
    if (next === null) return { ...end, finishReason: "length" };
    prepared = next;
  }
}

interface NextTurn {
  readonly before: Prepared;
  /** The number of the turn before, from 1. */
  readonly turn: number;
  /** What it adds to the conversation. */
  readonly messages: readonly Message[];
  readonly calls: number;
  /** Whether the tools of the server must not be called any more. */
  readonly withholds: boolean;
}

/** Prepares the next turn. @returns null when no tokens are left, or the conversation does not fit. */
async function nextTurn(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  { before, turn, messages, calls, withholds }: NextTurn,
): Promise<Prepared | null> {
  const { signal } = execution;
  const { completionTokens, reasoningTokens } = execution.usage;
  const maxTokens = before.sampledMax - completionTokens - reasoningTokens;
  if (maxTokens <= 0) return null;
  const added = await captioned(deps, run, messages, signal);
  const conversation: CaptionedConversation = {
    messages: [...before.conversation.messages, ...added.messages],
    imageTexts: new Map([...before.conversation.imageTexts, ...added.imageTexts]),
  };
  const { prefill: _, ...request } = before.request;
  const loaded = await execution.load(deps.load(run.model, signal));
  // The prompt has all tools in any case, so that it continues the one before.
  const building = buildPrompts(deps.engine, run.model, loaded, request, conversation);
  const built = await unlessAborted(nullIfTooLong(building), signal);
  if (built === null) return null;
  const withoutTools = withholds ? withoutServerTools(run, before) : before;
  const { toolChoice, tools } = withoutTools.request;
  const mode = toolChoice.mode === "required" ? "auto" : toolChoice.mode;
  return {
    ...withoutTools,
    ...built,
    request: {
      ...request,
      tools,
      toolChoice: { ...toolChoice, mode },
      maxTokens,
      maxTokensExcludesReasoning: false,
    },
    conversation,
    loaded,
    callIdInfix: `t${turn}c`,
    firstCall: before.firstCall + calls,
  };
}

/** Describes the images of results. One that cannot be described is only mentioned: no field of the request is to blame. */
async function captioned(
  { captioning }: RunDeps,
  { context }: TextRun,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<CaptionedConversation> {
  const { id: teamId } = context.principal.team;
  try {
    return await unlessAborted((async () => captioning.caption(messages, teamId, signal))(), signal);
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof HearthError)) throw thrown;
    const mentioned = messages.map(({ images = [], ...message }) => ({
      ...message,
      content: [message.content, ...images.map(() => "[image that cannot be described]")].join("\n"),
    }));
    return { messages: mentioned, imageTexts: new Map() };
  }
}

/** Keeps the model from calling tools of the server. */
function withoutServerTools(run: TextRun, { request, validator, ...rest }: Prepared): Prepared {
  const { tools, toolChoice } = request;
  const allowed = toolChoice.names ?? tools.map(({ name }) => name);
  const names = allowed.filter((name) => serverToolOf(run, name) === undefined);
  if (names.length > 0)
    return { ...rest, validator, request: { ...request, toolChoice: { ...toolChoice, names } } };
  const none = { ...toolChoice, mode: "none", names: null, withheld: tools } as const;
  return {
    ...rest,
    validator: { ...validator, rules: { ...validator.rules, toolArguments: [] } },
    request: { ...request, tools: [], toolChoice: none },
  };
}

async function nullIfTooLong<T>(building: Promise<T>): Promise<T | null> {
  try {
    return await building;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "context_length_exceeded") return null;
    throw thrown;
  }
}

/** The message of a turn, put together from its events. */
class TurnFold {
  readonly calls: NumberedCall[] = [];
  #text: string;
  #reasoning = "";

  constructor(prefill: string) {
    this.#text = prefill;
  }

  add(event: GenerationEvent): void {
    if (event.type === "text-delta") this.#text += event.text;
    else if (event.type === "reasoning-delta") this.#reasoning += event.text;
    else if (event.type === "tool-call-start") {
      const { index, id, name } = event;
      this.calls.push({ index, id, name, arguments: "" });
    } else if (event.type === "tool-call-delta") {
      const call = this.calls.pop();
      if (call !== undefined) this.calls.push({ ...call, arguments: call.arguments + event.arguments });
    }
  }

  message(): Message {
    return {
      role: "assistant",
      content: this.#text,
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
      toolCalls: this.calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    };
  }
}
