/**
 * Speaks with vLLM through its `/v1/completions` (fields and frames as in vllm/entrypoints/openai/completion/ of vLLM 0.11 and later,
 * which have `structured_outputs` and `return_token_ids`).
 */
import type { Token } from "node-llama-cpp";
import { z } from "zod";
import { engineFailed, engineUnreachable, saysError } from "../errors.js";
import { reasonIn, readReason, streamEvents } from "../http.js";
import { biasesWithPenalties } from "../penalties.js";
import type { RemoteClient, Segment, SegmentEvent, SegmentToken } from "../protocol.js";

/** The range that vLLM accepts. */
const biasMax = 100;
/** With `return_tokens_as_token_ids`, tokens of log probabilities have this name and their number. */
const tokenName = /^token_id:(\d+)$/;

const count = z.number().int().min(0);
const chunkSchema = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        token_ids: z.array(count).nullish(),
        prompt_token_ids: z.array(count).nullish(),
        finish_reason: z.string().nullish(),
        logprobs: z
          .object({
            tokens: z.array(z.string()),
            token_logprobs: z.array(z.number().nullable()),
            top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
          })
          .nullish(),
      }),
    )
    .default([]),
});
type Choice = z.infer<typeof chunkSchema>["choices"][number];

export function createVllmClient(): RemoteClient {
  return { segmentTokensMax: () => Number.POSITIVE_INFINITY, stream: streamSegment };
}

async function* streamSegment(
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<SegmentEvent, void, undefined> {
  const { target } = segment;
  let isStarted = false;
  let end: "stop" | "length" | null = null;
  for await (const event of streamEvents(target, "/v1/completions", writeBody(segment), signal)) {
    const { data: chunk } = chunkSchema.safeParse(event.data);
    if (chunk === undefined) throw engineFailed(target.url, "it sent a chunk that is not understood");
    if (chunk.error !== undefined)
      throw engineFailed(target.url, saysError, readReason(chunk, target.apiKey));
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    if (!isStarted) {
      comparePrompt(segment, choice.prompt_token_ids ?? null);
      // Its count of cached tokens comes after the answer, when the prompt was reported.
      yield { type: "started", cachedTokens: 0 };
    }
    isStarted = true;
    const tokens = readTokens(segment, choice);
    if (tokens.length > 0) {
      event.counts();
      yield { type: "tokens", tokens };
    }
    const { finish_reason: finish } = choice;
    if (finish === "stop" || finish === "length") {
      end = finish;
      event.ends();
    } else if (typeof finish === "string")
      throw engineUnreachable(target.url, "it ended the request", reasonIn(finish, target.apiKey));
  }
  if (end === null) throw engineUnreachable(target.url, "its answer ended without a reason");
  yield { type: "end", reason: end };
}

/** @throws HearthError where the server has read other tokens than were sent, or does not say what it has read. */
function comparePrompt({ target, tokens }: Segment, read: readonly number[] | null): void {
  if (read === null)
    throw engineFailed(target.url, "it does not return the ids of tokens (vLLM 0.11 and later do)");
  if (read.length === tokens.length && read.every((id, at) => id === tokens[at])) return;
  throw engineFailed(
    target.url,
    `it has read other prompt tokens than were sent (${read.length} of ${tokens.length})`,
  );
}

function readTokens({ target, topLogprobs }: Segment, choice: Choice): readonly SegmentToken[] {
  const ids = choice.token_ids ?? [];
  const { logprobs } = choice;
  if (topLogprobs === null) return ids.map((id) => ({ id, candidates: null }));
  if (logprobs == null || logprobs.tokens.length !== ids.length)
    throw engineFailed(target.url, "its log probabilities are not those of its tokens");
  return ids.map((id, at) => {
    const own = logprobs.token_logprobs[at] ?? null;
    const top = Object.entries(logprobs.top_logprobs[at] ?? {}).flatMap(([name, logprob]) => {
      const [, number] = tokenName.exec(name) ?? [];
      return number === undefined ? [] : [{ token: Number(number) as Token, logprob }];
    });
    top.sort((a, b) => b.logprob - a.logprob);
    const isThere = own === null || top.some(({ token }) => token === id);
    return { id, candidates: isThere ? top : [...top, { token: id as Token, logprob: own }] };
  });
}

/** Returns the body of a request. What is not stated of the sampling is left to the server, which may have defaults for the model. */
function writeBody(segment: Segment) {
  const { target, stated, grammar, topLogprobs, endTokens } = segment;
  const biases = [...biasesWithPenalties(segment)].map(
    ([token, bias]) => [String(token), Math.max(-biasMax, Math.min(biasMax, bias))] as const,
  );
  return {
    model: target.modelName,
    prompt: segment.tokens,
    max_tokens: segment.tokensMax,
    stream: true,
    stream_options: { include_usage: true },
    return_token_ids: true,
    add_special_tokens: false,
    n: 1,
    echo: false,
    seed: segment.seed,
    temperature: stated.temperature,
    top_p: stated.topP,
    top_k: stated.topK === null ? 0 : stated.topK,
    min_p: stated.minP,
    frequency_penalty: stated.frequencyPenalty,
    presence_penalty: stated.presencePenalty,
    repetition_penalty: stated.repeatPenalty,
    logit_bias: biases.length === 0 ? null : Object.fromEntries(biases),
    stop: [],
    stop_token_ids: endTokens,
    ignore_eos: false,
    min_tokens: 0,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
    cache_salt: target.salt,
    ...(topLogprobs === null ? {} : { logprobs: topLogprobs, return_tokens_as_token_ids: true }),
    structured_outputs: grammar === null ? undefined : { grammar },
  };
}
