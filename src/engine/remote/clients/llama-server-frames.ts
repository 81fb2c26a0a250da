/** What is sent to llama-server, and the frames that it answers with. */
import type { Token } from "node-llama-cpp";
import { z } from "zod";
import type { Sampling } from "../../../core/generation.js";
import { engineFailed, saysError } from "../errors.js";
import { readReason } from "../http.js";
import type { Segment, SegmentToken } from "../protocol.js";

/** As the engine in this process: more would require a full sort of the vocabulary. */
export const candidatesMax = 1000;
/** The server replaces an empty list by its own setting; no text contains this noncharacter. */
const noStop = ["\uFDD0"];

const count = z.number().int().min(0);
const probabilities = z
  .array(
    z.object({
      id: z.number().int(),
      logprob: z.number(),
      top_logprobs: z.array(z.object({ id: z.number().int(), logprob: z.number() })),
    }),
  )
  .optional();
const frameSchema = z.object({
  error: z.unknown().optional(),
  stop: z.boolean().optional(),
  stop_type: z.string().optional(),
  content: z.string().optional(),
  tokens: z.array(count).optional(),
  tokens_predicted: count.optional(),
  tokens_evaluated: count.optional(),
  prompt_progress: z.object({ cache: count, processed: count.optional() }).optional(),
  completion_probabilities: probabilities,
});
export type Frame = z.infer<typeof frameSchema>;
export const wholeSchema = z.object({ tokens: z.array(count), completion_probabilities: probabilities });

/** What the server says where its parser of chats, which it always uses, cannot read bytes that are no text. */
const unreadable = "does not match the expected";

/**
 * Returns null where the server has ended the request because it cannot read the text itself.
 * @throws HearthError where the server has failed, or has read another number of tokens than were sent.
 */
export function readFrame({ target: { url, apiKey }, tokens: sent }: Segment, data: unknown): Frame | null {
  const { data: frame, success } = frameSchema.safeParse(data);
  if (!success) throw engineFailed(url, "it sent a frame that is not understood");
  if (frame.error !== undefined) {
    const reason = readReason(frame, apiKey);
    if (reason.includes(unreadable)) return null;
    throw engineFailed(url, saysError, reason);
  }
  const read = frame.tokens_evaluated ?? sent.length;
  if (read !== sent.length)
    throw engineFailed(url, `it has read ${read} prompt tokens, and ${sent.length} were sent`);
  return frame;
}

export function readCandidates(
  { completion_probabilities: found }: Frame,
  id: number,
): SegmentToken["candidates"] {
  const [entry] = found ?? [];
  if (entry === undefined || entry.id !== id) return null;
  const { top_logprobs: top, logprob } = entry;
  const candidates = top.map((each) => ({ token: each.id as Token, logprob: each.logprob }));
  return top.some((each) => each.id === id) ? candidates : [...candidates, { token: id as Token, logprob }];
}

export function isPenalised({
  frequencyPenalty,
  presencePenalty,
  repeatPenalty = 1,
  penaltyTokens,
}: Sampling): boolean {
  return penaltyTokens !== 0 && (frequencyPenalty !== 0 || presencePenalty !== 0 || repeatPenalty !== 1);
}

/** Returns the body of a request. What is not stated of the sampling is left to the server. */
export function writeCompletionBody(segment: Segment) {
  const { target, grammar, topLogprobs } = segment;
  return {
    prompt: segment.tokens,
    stream: true,
    return_tokens: true,
    return_progress: true,
    timings_per_token: false,
    response_fields: [
      "stop",
      "stop_type",
      "tokens",
      "tokens_predicted",
      "tokens_evaluated",
      "completion_probabilities",
    ],
    n_predict: Math.min(segment.tokensMax, 2 ** 31 - 1),
    cache_prompt: target.reusesPrefixes,
    id_slot: target.slot ?? -1,
    n_cache_reuse: 0,
    n_indent: 0,
    t_max_predict_ms: -1,
    ignore_eos: false,
    stop: noStop,
    n_probs: topLogprobs === null ? 0 : Math.max(1, topLogprobs),
    post_sampling_probs: false,
    backend_sampling: false,
    reasoning_budget_tokens: -1,
    ...writeSamplers(segment),
    ...(grammar === null ? {} : { grammar, grammar_lazy: false }),
  };
}

function writeSamplers({ sampling, stated, answerTokens, logitBias, seed }: Segment) {
  return {
    seed,
    samplers: ["penalties", "top_k", "top_p", "min_p", "temperature"],
    temperature: stated.temperature,
    dynatemp_range: 0,
    top_k: stated.topK === undefined ? undefined : Math.min(stated.topK ?? candidatesMax, candidatesMax),
    top_p: stated.topP,
    min_p: stated.minP,
    typical_p: 1,
    top_n_sigma: -1,
    xtc_probability: 0,
    mirostat: 0,
    adaptive_target: -1,
    dry_multiplier: 0,
    min_keep: 0,
    repeat_last_n: Math.min(answerTokens, sampling.penaltyTokens ?? answerTokens),
    repeat_penalty: stated.repeatPenalty,
    frequency_penalty: stated.frequencyPenalty,
    presence_penalty: stated.presencePenalty,
    logit_bias: [...logitBias],
  };
}
