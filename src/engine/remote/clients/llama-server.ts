/**
 * Speaks with llama-server, llama.cpp's own server, through its `/completion` (fields and frames as in tools/server/ of the source that
 * node-llama-cpp contains, release 0.4.0 of llama.cpp).
 */
import type { Token } from "node-llama-cpp";
import { z } from "zod";
import type { TokenCandidate } from "../../language/answer/sampled-token.js";
import type { TokenBytes } from "../../language/prompt/token-bytes.js";
import { engineFailed, engineUnreachable, saysError } from "../errors.js";
import { postJson, streamEvents, readReason } from "../http.js";
import type { RemoteClient, Segment, SegmentEvent, SegmentToken } from "../protocol.js";
import { TokenSplitter } from "../split-tokens.js";
import type { Sampling } from "../../../core/generation.js";

/** Outweighs all logits. */
const certain = 1_000_000;

export interface LlamaServerVocabulary {
  readonly tokenBytes: TokenBytes;
  readonly vocabularyTokens: number;
}

export function createLlamaServerClient(vocabulary: LlamaServerVocabulary): RemoteClient {
  const splitter = new TokenSplitter(vocabulary.tokenBytes, vocabulary.vocabularyTokens);
  return {
    // Its penalties count tokens of the prompt, unless their number says how far they go back.
    segmentTokensMax: (sampling) => (isPenalised(sampling) ? 1 : Number.POSITIVE_INFINITY),
    stream: (segment, signal) => streamSegment(segment, signal, splitter, vocabulary),
  };
}

async function* streamSegment(
  segment: Segment,
  signal: AbortSignal,
  splitter: TokenSplitter,
  vocabulary: LlamaServerVocabulary,
): AsyncGenerator<SegmentEvent, void, undefined> {
  const { target } = segment;
  const received: number[] = [];
  let isStarted = false;
  let evaluated = 0;
  let hidden: HiddenTokens | null = null;
  for await (const event of streamEvents(target, "/completion", writeCompletionBody(segment), signal)) {
    const frame = readFrame(segment, event.data);
    if (frame === null) {
      if (received.length === 0) throw engineFailed(target.url, "the model writes what is no text");
      yield { type: "end", reason: "cut" };
      return;
    }
    if (!isStarted) yield { type: "started", cachedTokens: frame.prompt_progress?.cache ?? 0 };
    isStarted = true;
    if (frame.prompt_progress !== undefined) {
      const processed = Math.min(frame.prompt_progress.processed ?? 0, segment.tokens.length);
      if (processed <= evaluated) continue;
      evaluated = processed;
      event.counts();
      yield { type: "progress" };
      continue;
    }
    const tokens = readTokens(segment, frame, received.length, splitter);
    if (tokens === null) {
      const end = frame.stop !== true ? null : frame.stop_type === "eos" ? "stop" : "length";
      hidden = { count: frame.tokens_predicted ?? 0, end };
      break;
    }
    for (const { id } of tokens) received.push(id);
    if (tokens.length > 0) {
      event.counts();
      yield { type: "tokens", tokens };
    }
    if (frame.stop !== true) continue;
    event.ends();
    yield { type: "end", reason: frame.stop_type === "limit" ? "length" : "stop" };
    return;
  }
  if (hidden === null) throw engineUnreachable(target.url, "its answer ended without its last frame");
  yield* findHidden(segment, hidden, received, vocabulary, signal);
}

/** Tokens that the server has sampled and not sent, and that their text does not show. */
interface HiddenTokens {
  /** All tokens of the segment so far. */
  readonly count: number;
  /** null: the segment has not ended. */
  readonly end: "stop" | "length" | null;
}

/** Returns the tokens of a frame, those before it included that it completes a character of; null where these are not certain. */
function readTokens(
  { topLogprobs }: Segment,
  frame: Frame,
  received: number,
  splitter: TokenSplitter,
): readonly SegmentToken[] | null {
  const { tokens = [], content = "", tokens_predicted: predicted = 0 } = frame;
  const own = tokens.map((id) => ({ id, candidates: readCandidates(frame, id) }));
  const missing = predicted - received - tokens.length;
  const [last] = tokens;
  if (missing <= 0) return own;
  if (last === undefined || topLogprobs !== null) return null;
  const found = splitter.before(last, Buffer.from(content), missing);
  return found === null ? null : [...found.map((id) => ({ id, candidates: null })), ...own];
}

/** Yields the tokens that were not sent, and ends the segment. */
async function* findHidden(
  segment: Segment,
  { count, end }: HiddenTokens,
  received: readonly number[],
  vocabulary: LlamaServerVocabulary,
  signal: AbortSignal,
): AsyncGenerator<SegmentEvent, void, undefined> {
  // The server does not return the tokens of a text that ends inside of a character.
  if (end === "length") {
    yield { type: "end", reason: "split" };
    return;
  }
  const all = await repeatWhole(segment, Math.min(count, segment.tokensMax), received, signal);
  for (let at = received.length; at < all.length; at += 1) {
    const id = all[at] ?? 0;
    const before = [...segment.tokens, ...all.slice(0, at)];
    const candidates = segment.topLogprobs === null ? null : await probe(segment, before, vocabulary, signal);
    yield { type: "tokens", tokens: [{ id, candidates }] };
  }
  yield { type: "end", reason: end ?? "cut" };
}

/** Samples the same tokens again, without a stream: then all of them are in the answer. */
async function repeatWhole(
  segment: Segment,
  tokensMax: number,
  received: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { target } = segment;
  const body = {
    ...writeCompletionBody({ ...segment, tokensMax, topLogprobs: null }),
    stream: false,
    cache_prompt: true,
  };
  const whole = wholeSchema.safeParse(await postJson(target, "/completion", body, signal));
  const tokens = whole.data?.tokens ?? [];
  if (tokens.length === tokensMax && received.every((id, at) => id === tokens[at])) return tokens;
  throw engineFailed(target.url, "it does not repeat an answer with the same seed");
}

/**
 * Returns the most likely tokens after these. Their probabilities are the model's own, before any bias; the bias makes the server sample
 * a token that is a whole character, without which it reports none.
 */
async function probe(
  segment: Segment,
  tokens: readonly number[],
  { tokenBytes, vocabularyTokens }: LlamaServerVocabulary,
  signal: AbortSignal,
): Promise<readonly TokenCandidate[]> {
  let letter = 0;
  while (letter < vocabularyTokens && !/^[ -~]$/.test(Buffer.from(tokenBytes.of(letter)).toString()))
    letter += 1;
  const body = {
    ...writeCompletionBody({ ...segment, tokens, grammar: null, tokensMax: 1 }),
    stream: false,
    cache_prompt: true,
    temperature: 0,
    logit_bias: [[letter, certain]],
    n_probs: candidatesMax,
  };
  const answer = wholeSchema.safeParse(await postJson(segment.target, "/completion", body, signal));
  const [found] = answer.data?.completion_probabilities ?? [];
  return (found?.top_logprobs ?? []).map(({ id, logprob }) => ({ token: id as Token, logprob }));
}

// What is sent to llama-server, and the frames that it answers with.

/** As the engine in this process: more would require a full sort of the vocabulary. */
const candidatesMax = 1000;
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
type Frame = z.infer<typeof frameSchema>;
const wholeSchema = z.object({ tokens: z.array(count), completion_probabilities: probabilities });

/** What the server says where its parser of chats, which it always uses, cannot read bytes that are no text. */
const unreadable = "does not match the expected";

/**
 * Returns null where the server has ended the request because it cannot read the text itself.
 * @throws HearthError where the server has failed, or has read another number of tokens than were sent.
 */
function readFrame({ target: { url, apiKey }, tokens: sent }: Segment, data: unknown): Frame | null {
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

function readCandidates({ completion_probabilities: found }: Frame, id: number): SegmentToken["candidates"] {
  const [entry] = found ?? [];
  if (entry === undefined || entry.id !== id) return null;
  const { top_logprobs: top, logprob } = entry;
  const candidates = top.map((each) => ({ token: each.id as Token, logprob: each.logprob }));
  return top.some((each) => each.id === id) ? candidates : [...candidates, { token: id as Token, logprob }];
}

function isPenalised({
  frequencyPenalty,
  presencePenalty,
  repeatPenalty = 1,
  penaltyTokens,
}: Sampling): boolean {
  return penaltyTokens !== 0 && (frequencyPenalty !== 0 || presencePenalty !== 0 || repeatPenalty !== 1);
}

/** Returns the body of a request. What is not stated of the sampling is left to the server. */
function writeCompletionBody(segment: Segment) {
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
