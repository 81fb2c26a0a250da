/** Answers of the scripted engine that are parsed token by token, as a real model's answer is. */
import type { DecodeJob } from "../../../src/core/engine.js";
import type { FinishReason, GenerationEvent } from "../../../src/core/generation.js";
import { AnswerBuilder } from "../../../src/engine/language/answer/answer.js";
import { parsedCalls } from "../../../src/engine/language/answer/create-answer.js";
import { findReasoningMarks } from "../../../src/engine/language/reasoning.js";
import { readToolFormat } from "../../../src/engine/language/tools/format.js";

/** The rest of an answer as a model samples it, including the markers of reasoning and tool calls. */
export interface Transcript {
  readonly type: "transcript";
  /** The chat template whose conventions the text follows. */
  readonly template: string;
  /** Bytes of each token. */
  readonly tokens: readonly Uint8Array[];
}

/** Makes a transcript of a text, cut into tokens of `tokenBytes` bytes, also inside characters. */
export function transcript(template: string, answer: string, tokenBytes = 1): Transcript {
  const bytes = new TextEncoder().encode(answer);
  const tokens = Array.from({ length: Math.ceil(bytes.length / tokenBytes) }, (_, at) =>
    bytes.subarray(at * tokenBytes, (at + 1) * tokenBytes),
  );
  return { type: "transcript", template, tokens };
}

/** Emits the events of a transcript as the real engine does for sampled tokens, and ends where it would. */
export function* readTranscript(
  { template, tokens }: Transcript,
  job: DecodeJob,
  budget: number,
  signal: AbortSignal,
): Generator<GenerationEvent, void, undefined> {
  const { stop, callIdPrefix, maxTokens, maxTokensExcludesReasoning } = job;
  const { tools, hidden } = parsedCalls(job);
  const format = readToolFormat(template);
  const answer = new AnswerBuilder({
    marks: format.readsReasoning ? null : findReasoningMarks(template),
    startsInReasoning: job.prompt.startsInReasoning,
    stop,
    parser: tools.length > 0 || format.readsReasoning ? format.parser(tools, hidden) : null,
    hidesCalls: hidden,
    callIdPrefix,
  });
  let finishReason: FinishReason = "stop";
  let visible = 0;
  for (const [index, bytes] of tokens.entries()) {
    if (signal.aborted) return;
    yield* answer.push(bytes, null);
    if (answer.mode !== "reasoning" || !maxTokensExcludesReasoning) visible += 1;
    if (answer.stoppedBy !== null) break;
    if (index + 1 < budget && visible < (maxTokens ?? Infinity)) continue;
    finishReason = "length";
    break;
  }
  yield* answer.finish();
  if (finishReason === "stop" && answer.calls > 0) finishReason = "tool_calls";
  const { stoppedBy } = answer;
  const reason = stoppedBy === null ? finishReason : "stop_sequence";
  yield { type: "generation-end", choice: 0, finishReason: reason, stopSequence: stoppedBy };
}
