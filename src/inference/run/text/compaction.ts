/**
 * Compaction: where the prompt of a conversation is long, the model summarizes it first, and answers from the summary and the last
 * message of the user. The summary is part of the same run. Only a complete summary replaces the conversation: where none can be made,
 * the model answers as it would have without compaction.
 */
import { freeRules, type LoadedModel } from "../../../core/engine.js";
import type { Compaction, GenerationRequest, Message } from "../../../core/generation.js";
import { buildPrompts, nullIfTooLong, type Prompts } from "../../prompt/prompts.js";
import { countSampled } from "../../../core/usage.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import { unlessAborted } from "../../abortable.js";
import type { TextRun } from "./text-run.js";
import { generateTurn, type Turn } from "./turn.js";

/** Tokens of the instruction to summarize, with what a template puts around a message. */
const instructionTokensMax = 256;

/**
 * Whether the conversation is summarized: above the threshold of the request, and where a longer one would leave no room for a summary.
 * @param prompts of the whole conversation.
 */
export function isCompacted(
  { compaction, choices, raw }: GenerationRequest,
  [prompt]: Turn["prompts"],
  loaded: ContextSize,
): boolean {
  if (compaction === undefined || choices !== 1 || raw !== undefined) return false;
  const { contextTokens } = loaded;
  const room = limitSummary(compaction, loaded) + Math.min(instructionTokensMax, contextTokens >> 3);
  return (
    (prompt === undefined ? 0 : countPromptTokens(prompt)) >
    Math.min(compaction.aboveTokens, contextTokens - room)
  );
}

type ContextSize = LoadedModel;

/** Returns the most tokens of a summary: not more than a quarter of a small context. */
function limitSummary({ summaryTokensMax }: Compaction, { contextTokens }: ContextSize): number {
  return Math.min(summaryTokensMax, contextTokens >> 2);
}

/** Returns the most tokens that the summary and the answer use. @param answer the bound of an answer to the whole conversation */
export function boundWithSummary(
  { compaction, maxTokens }: GenerationRequest,
  answer: { readonly prompt: number; readonly sampled: number },
  loaded: ContextSize,
): { readonly prompt: number; readonly sampled: number } {
  const { contextTokens } = loaded;
  // From the shorter conversation, a longer answer fits into the context.
  const answerMax = Math.min(maxTokens ?? Infinity, contextTokens);
  const summaryMax = compaction === undefined ? 0 : limitSummary(compaction, loaded);
  return {
    prompt: answer.prompt + contextTokens,
    sampled: Math.max(answer.sampled, answerMax) + summaryMax,
  };
}

/** @returns what the answer is generated from: the conversation itself where it has no summary; null when it was aborted. */
export async function compactTurn(run: TextRun, prepared: Turn): Promise<Turn | null> {
  const { request, conversation, loaded } = prepared;
  const { compaction } = request;
  if (compaction === undefined) return prepared;
  // A summary of a part would lose the rest.
  const whole = { ...request, truncate: false };
  const build = (messages: readonly Message[], prefill?: string) =>
    nullIfTooLong(
      unlessAborted(
        buildPrompts(
          run.services.engine,
          run.model,
          loaded,
          { ...whole, prefill },
          { ...conversation, messages },
        ),
        run.signal,
      ),
    );
  const { messages } = conversation;
  const tokensMax = limitSummary(compaction, loaded);
  const sampledBefore = countSampled(run.money.usage);
  const summary = await generateSummary(run, {
    prepared,
    tokensMax,
    built: await build([...messages, { role: "user", content: compaction.instruction }]),
  });
  if (summary === null) return null;
  const sampledMax = prepared.sampledMax - tokensMax + countSampled(run.money.usage) - sampledBefore;
  if (summary === "") return { ...prepared, sampledMax };
  const heading = { role: "system", content: compaction.heading + summary } as const;
  const compacted = [...systemMessages(messages), heading, ...lastQuestion(messages)];
  const built = await build(compacted, request.prefill);
  if (built === null || countTokens(built) >= countTokens(prepared)) return { ...prepared, sampledMax };
  run.emit({ type: "conversation-compacted", choice: 0, summary });
  return { ...prepared, ...built, conversation: { ...conversation, messages: compacted }, sampledMax };
}

interface SummaryTurn {
  readonly prepared: Turn;
  readonly tokensMax: number;
  /** The prompt that asks for the summary; null when it does not fit. */
  readonly built: Prompts | null;
}

/** @returns the summary; an empty text when there is none that is complete, null when it was aborted. */
async function generateSummary(
  run: TextRun,
  { prepared, tokensMax, built }: SummaryTurn,
): Promise<string | null> {
  if (built === null || countTokens(built) + tokensMax > prepared.loaded.contextTokens) return "";
  let summary = "";
  const turn = summaryTurn(prepared, tokensMax, built);
  const end = await generateTurn(run, turn, 0, (event) => {
    if (event.type === "text-delta") summary += event.text;
  });
  if (end === null) return null;
  run.timings.turnEnded();
  return end.finishReason === "length" || summary.trim() === "" ? "" : summary;
}

/** The prompt has the tools, so that it continues the one of the conversation; none is called. */
function summaryTurn(prepared: Turn, tokensMax: number, built: Prompts): Turn {
  const { request, validator } = prepared;
  const { tools, toolChoice } = request;
  return {
    ...prepared,
    ...built,
    request: {
      ...request,
      tools: [],
      toolChoice: { ...toolChoice, mode: "none", names: null, withheld: toolChoice.withheld ?? tools },
      topLogprobs: null,
      prefill: undefined,
      stop: [],
      stopTokens: undefined,
      minTokens: undefined,
      maxTokens: tokensMax,
      maxTokensExcludesReasoning: false,
    },
    reasoningTokensMax: 0,
    validator: { ...validator, rules: freeRules, exact: true, check: () => Promise.resolve(null) },
    isSilent: true,
  };
}

function countTokens({ prompts }: Prompts): number {
  const [prompt] = prompts;
  return prompt === undefined ? 0 : countPromptTokens(prompt);
}

function systemMessages(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first === -1 ? messages : messages.slice(0, first);
}

function lastQuestion(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ role }) => role === "user").slice(-1);
}
