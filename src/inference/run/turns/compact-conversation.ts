/**
 * Compaction: where the prompt of a conversation is long, the model summarizes it first, and answers from the summary and the last
 * message of the user. The summary is part of the same run.
 */
import { freeRules, type LoadedModel, type Prompt } from "../../../core/engine.js";
import type { Compaction, GenerationRequest, Message } from "../../../core/generation.js";
import { buildPrompts, type Prompts } from "../../prompt/prompts.js";
import { unlessAborted } from "../abortable.js";
import type { Execution } from "../execution.js";
import { generateOnSlot, type Prepared } from "../generate-on-slot.js";
import type { RunDeps, TextRun } from "../run-deps.js";

/** Whether the conversation is summarized. @param prompts those of the whole conversation */
export function isCompacted(
  { compaction, choices, raw }: Pick<GenerationRequest, "compaction" | "choices" | "raw">,
  [prompt]: readonly Prompt[],
): boolean {
  if (compaction === undefined || choices !== 1 || raw !== undefined) return false;
  return (prompt?.tokens.length ?? 0) > compaction.aboveTokens;
}

/** Returns the most tokens that the summary and the answer use. @param answer those of an answer to the whole conversation */
export function boundWithSummary(
  { compaction, maxTokens }: GenerationRequest,
  answer: { readonly prompt: number; readonly sampled: number },
  { contextTokens }: Pick<LoadedModel, "contextTokens">,
): { readonly prompt: number; readonly sampled: number } {
  // From the shorter conversation, a longer answer fits into the context.
  const answerMax = Math.min(maxTokens ?? Infinity, contextTokens);
  const sampled = Math.max(answer.sampled, answerMax) + (compaction?.summaryTokensMax ?? 0);
  return { prompt: answer.prompt + contextTokens, sampled };
}

/** @returns what the answer is generated from; null when it was aborted. A model that writes no summary answers as it would have. */
export async function compactConversation(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  prepared: Prepared,
): Promise<Prepared | null> {
  const { request, conversation, loaded } = prepared;
  const { compaction } = request;
  if (compaction === undefined) return prepared;
  const { signal } = execution;
  const build = (messages: readonly Message[]) =>
    unlessAborted(
      buildPrompts(deps.engine, run.model, loaded, request, { ...conversation, messages }),
      signal,
    );
  const { messages } = conversation;
  const question = { role: "user", content: compaction.instruction } as const;
  let summary = "";
  const end = await generateOnSlot(
    deps,
    run,
    execution,
    summaryTurn(prepared, compaction, await build([...messages, question])),
    0,
    (event) => {
      if (event.type === "text-delta") summary += event.text;
    },
  );
  if (end === null) return null;
  run.timings.turnEnded();
  if (summary.trim() === "") return prepared;
  const heading = { role: "system", content: compaction.heading + summary } as const;
  const compacted = [...systemMessages(messages), heading, ...lastQuestion(messages)];
  const built = await build(compacted);
  run.emit({ type: "conversation-compacted", choice: 0, summary, usage: execution.usage });
  const { completionTokens, reasoningTokens } = execution.usage;
  return {
    ...prepared,
    ...built,
    conversation: { ...conversation, messages: compacted },
    sampledMax: prepared.sampledMax - compaction.summaryTokensMax + completionTokens + reasoningTokens,
  };
}

/** The prompt has the tools, so that it continues the one of the conversation; none is called. */
function summaryTurn(prepared: Prepared, { summaryTokensMax }: Compaction, built: Prompts): Prepared {
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
      stop: [],
      maxTokens: summaryTokensMax,
      maxTokensExcludesReasoning: false,
    },
    reasoningTokensMax: 0,
    validator: { ...validator, rules: freeRules, exact: true, check: () => Promise.resolve(null) },
    isSilent: true,
  };
}

function systemMessages(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first === -1 ? messages : messages.slice(0, first);
}

function lastQuestion(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ role }) => role === "user").slice(-1);
}
