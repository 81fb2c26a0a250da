/**
 * Speaks with SGLang through its `/generate` (fields and frames as in python/sglang/srt/managers/io_struct.py and tokenizer_manager.py of
 * SGLang 0.5 and later, whose answers have the ids of tokens).
 */
import type { Token } from "node-llama-cpp";
import { z } from "zod";
import { engineFailed, engineUnreachable, saysError } from "../errors.js";
import { reasonIn, readReason, streamEvents } from "../http.js";
import { biasesWithPenalties } from "../penalties.js";
import type { RemoteClient, Segment, SegmentEvent, SegmentToken } from "../protocol.js";

const count = z.number().int().min(0);
/** Log probability, token, and its text, which is not requested. */
const entry = z.tuple([z.number().nullable(), count]).rest(z.unknown());
const frameSchema = z.object({
  error: z.unknown().optional(),
  output_ids: z.array(count).optional(),
  meta_info: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      cached_tokens: count.optional(),
      finish_reason: z.object({ type: z.string(), message: z.string().nullish() }).nullish(),
      output_token_logprobs: z.array(entry).nullish(),
      output_top_logprobs: z.array(z.array(entry).nullable()).nullish(),
    })
    .optional(),
});
type Meta = NonNullable<z.infer<typeof frameSchema>["meta_info"]>;

export function createSglangClient(): RemoteClient {
  return { segmentTokensMax: () => Number.POSITIVE_INFINITY, stream: streamSegment };
}

async function* streamSegment(
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<SegmentEvent, void, undefined> {
  const { target, tokens: sent } = segment;
  let received = 0;
  let isStarted = false;
  let end: "stop" | "length" | null = null;
  for await (const event of streamEvents(target, "/generate", writeBody(segment), signal)) {
    const { data: frame } = frameSchema.safeParse(event.data);
    if (frame === undefined) throw engineFailed(target.url, "it sent a frame that is not understood");
    if (frame.error !== undefined)
      throw engineFailed(target.url, saysError, readReason(frame, target.apiKey));
    const { meta_info: meta, output_ids: ids } = frame;
    if (meta === undefined || ids === undefined)
      throw engineFailed(target.url, "it does not return the ids of tokens (SGLang 0.5 and later do)");
    if (meta.finish_reason?.type === "abort")
      throw engineUnreachable(
        target.url,
        "it ended the request",
        reasonIn(meta.finish_reason.message ?? "abort", target.apiKey),
      );
    if (meta.prompt_tokens !== sent.length)
      throw engineFailed(
        target.url,
        `it has read ${meta.prompt_tokens} prompt tokens, and ${sent.length} were sent`,
      );
    if (!isStarted) yield { type: "started", cachedTokens: meta.cached_tokens ?? 0 };
    isStarted = true;
    // Frames have all tokens so far, or, with an option of the server, the new ones.
    const isWhole = ids.length === meta.completion_tokens;
    const fresh = isWhole ? ids.slice(received) : ids;
    if (!isWhole && received + ids.length !== meta.completion_tokens)
      throw engineFailed(target.url, "its count of tokens is not that of their ids");
    received += fresh.length;
    if (fresh.length > 0) {
      event.counts();
      yield { type: "tokens", tokens: withCandidates(segment, fresh, meta) };
    }
    const { type } = meta.finish_reason ?? {};
    if (type !== "stop" && type !== "length") continue;
    end = type;
    event.ends();
  }
  if (end === null) throw engineUnreachable(target.url, "its answer ended without a reason");
  yield { type: "end", reason: end };
}

/** The server sends the log probabilities of all tokens so far, or of the new ones: the last ones are the new ones. */
function withCandidates(
  { target, topLogprobs }: Segment,
  ids: readonly number[],
  { output_token_logprobs: own, output_top_logprobs: top }: Meta,
): readonly SegmentToken[] {
  if (topLogprobs === null) return ids.map((id) => ({ id, candidates: null }));
  const [ownLast, topLast] = [(own ?? []).slice(-ids.length), (top ?? []).slice(-ids.length)];
  if (ownLast.length !== ids.length || ids.some((id, at) => ownLast[at]?.[1] !== id))
    throw engineFailed(target.url, "its log probabilities are not those of its tokens");
  return ids.map((id, at) => {
    const candidates = (topLast[at] ?? []).flatMap(([logprob, token]) =>
      logprob === null ? [] : [{ token: token as Token, logprob }],
    );
    candidates.sort((a, b) => b.logprob - a.logprob);
    const logprob = ownLast[at]?.[0] ?? null;
    const isThere = logprob === null || candidates.some(({ token }) => token === id);
    return { id, candidates: isThere ? candidates : [...candidates, { token: id as Token, logprob }] };
  });
}

/** Returns the body of a request. What is not stated of the sampling is left to the server, which may have defaults for the model. */
function writeBody(segment: Segment) {
  const { target, stated, grammar, topLogprobs, endTokens } = segment;
  const biases = [...biasesWithPenalties(segment)].map(([token, bias]) => [String(token), bias] as const);
  return {
    input_ids: segment.tokens,
    stream: true,
    extra_key: target.salt,
    return_logprob: topLogprobs !== null,
    logprob_start_len: -1,
    top_logprobs_num: topLogprobs ?? 0,
    return_text_in_logprobs: false,
    sampling_params: {
      max_new_tokens: segment.tokensMax,
      temperature: stated.temperature,
      top_p: stated.topP,
      top_k: stated.topK === null ? -1 : stated.topK,
      min_p: stated.minP,
      frequency_penalty: stated.frequencyPenalty,
      presence_penalty: stated.presencePenalty,
      repetition_penalty: stated.repeatPenalty,
      min_new_tokens: 0,
      n: 1,
      sampling_seed: segment.seed,
      stop: null,
      stop_token_ids: endTokens,
      ignore_eos: false,
      skip_special_tokens: false,
      spaces_between_special_tokens: false,
      no_stop_trim: true,
      logit_bias: biases.length === 0 ? undefined : Object.fromEntries(biases),
      ebnf: grammar ?? undefined,
    },
  };
}
