/** Prepares a turn of a run that continues the turn before, and reserves what it can cost. */
import type { LoadedModel } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { Message, ToolChoice } from "../../../core/generation.js";
import type { PreparedConversation } from "../../prompt/captioning.js";
import { countSampled } from "../../../core/usage.js";
import { buildPrompts, nullIfTooLong } from "../../prompt/prompts.js";
import { unlessAborted } from "../../abortable.js";
import { findServerTool } from "./server-calls.js";
import type { TextRun } from "./text-run.js";
import { boundPromptTokens } from "./token-bound.js";
import type { Turn } from "./turn.js";

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
export async function prepareNextTurn(
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
