/**
 * Samples the next token of a sequence. Without log probabilities the library's own sampler is used. With them the library returns the
 * thousand most likely tokens with their probabilities, and this file samples from those, because the probabilities after the
 * library's own chain are changed by temperature and truncated by top_p.
 */
import {
  TokenBias,
  type LlamaContextSequence,
  type LlamaGrammarEvaluationState,
  type SequenceEvaluateOptions,
  type Token,
} from "node-llama-cpp";
import type { Sampling } from "../../../core/generation.js";
import type { SampledToken, TokenCandidate } from "../../language/answer/sampled-token.js";
import { sampleToken, seededUniform } from "./sample.js";
import { createLibrarySampler, removeTokens, evaluateTokens, type LibrarySampler } from "./evaluation.js";
import { acceptToken, grammarAllows } from "./grammar-state.js";
import type { Resident } from "../load/resident.js";
import { stepMsMax } from "../step-watch.js";

/** A share of the probability that tokens beyond those that are considered may have without being counted. */
const uncountedMax = 1e-5;

/** Sampling considers the thousand most likely tokens: more would require a full sort of the vocabulary and would never be sampled. */
const candidatesMax = 1000;

/** One evaluation of a sequence. */
interface SamplerStep {
  /** Tokens to evaluate in place of the last token; null: none. */
  readonly replacement: readonly Token[] | null;
  /** How the answer is likely to go on. */
  readonly draft: readonly Token[];
  /**
   * Receives each sampled token. @returns whether it is the next one of the sequence, and another may be sampled; false, too, where
   * something else is to be evaluated in its place.
   */
  readonly take: (sampled: SampledToken) => boolean;
}

/** Samples the tokens of one sequence. */
export type TokenSource = ReturnType<typeof startSampler>;

interface SamplerOptions {
  readonly sampling: Sampling;
  readonly seed: number;
  readonly withCandidates: boolean;
  /** Returns the tokens that penalties apply to. */
  readonly sampled: () => readonly Token[];
  /** Called before every token. Returns the grammar state that constrains it, if any. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
  /** Called before every token. Returns the tokens that are sampled only where nothing else is allowed; null when there never are any. */
  readonly suppressed: (() => readonly Token[]) | null;
}

/** Starts sampling. @param prompt the last chunk of the prompt, which is evaluated with the first token. */
export function startSampler(
  resident: Resident,
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  options: SamplerOptions,
) {
  const sampler = createLibrarySampler(resident.weights, sequence);
  const sampleUnwatched = options.withCandidates
    ? candidateSampling(resident, sampler, options)
    : librarySampling(resident, sampler, options);
  const sample = (row: number): Promise<SampledToken> =>
    resident.steps.run(stepMsMax.sampling, () => sampleUnwatched(row));
  let pending = prompt;
  return {
    /**
     * Evaluates the last token, together with the draft, and samples the next. As long as the sampled token is the draft's, the one
     * after it is sampled, too; the rest of the draft is removed from the sequence. So each token is sampled from the same logits (up to
     * rounding), by the same sampler in the same state, as without a draft.
     * @returns how many tokens of the draft were sampled
     */
    async next({ replacement, draft, take }: SamplerStep): Promise<number> {
      const before = replacement ?? pending;
      let last: Token | null = null;
      let confirmed = 0;
      let isOpen = true;
      await evaluateTokens(sequence, [...before, ...draft], before.length - 1, async (row) => {
        if (!isOpen) return;
        const sampled = await sample(row);
        last = sampled.token;
        isOpen = take(sampled) && draft[confirmed] === sampled.token;
        if (isOpen) confirmed += 1;
      });
      await removeTokens(sequence, draft.length - confirmed);
      pending = last === null ? [] : [last];
      return confirmed;
    },
    end: (): void => sampler.dispose(),
  };
}

function librarySampling(
  { weights }: Resident,
  sampler: LibrarySampler,
  options: SamplerOptions,
): (row: number) => Promise<SampledToken> {
  const { sampling, seed, grammar } = options;
  const libraryOptions: SequenceEvaluateOptions = {
    ...commonOptions(options),
    ...biasOption(weights, options),
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: Math.min(sampling.topK ?? candidatesMax, candidatesMax),
    minP: sampling.minP,
    seed,
    grammarEvaluationState: grammar,
  };
  return async (row) => ({ token: await sampler.sample(row, libraryOptions), candidates: null });
}

function candidateSampling(
  resident: Resident,
  sampler: LibrarySampler,
  options: SamplerOptions,
): (row: number) => Promise<SampledToken> {
  const { weights, vocabularyTokens } = resident;
  const uniform = seededUniform(options.seed);
  const libraryOptions: SequenceEvaluateOptions = {
    ...commonOptions(options),
    tokenBias: tokenBias(weights, options.sampling, []),
    temperature: 1,
    topP: 1,
    topK: candidatesMax,
    minP: 0,
    seed: options.seed,
  };
  return async (row) => {
    const found = await sampler.probabilities(row, libraryOptions);
    const [[, likeliest] = [0, 1]] = found;
    // The library counts the tokens that it returns.
    const othersMax = (found.at(-1)?.[1] ?? 0) * (vocabularyTokens - found.length);
    const share =
      othersMax < uncountedMax ? 1 : (await sampler.greatestProbability(row, libraryOptions)) / likeliest;
    const candidates = found.map(([token, probability]) => ({
      token,
      logprob: Math.log(probability * share),
    }));
    const state = options.grammar();
    const likely =
      state === undefined
        ? candidates
        : candidates.filter(({ token }) => grammarAllows(weights, state, token));
    const suppressed = new Set(options.suppressed?.());
    const others = likely.filter((candidate) => !suppressed.has(candidate.token));
    const allowed = others.length > 0 ? others : likely.length > 0 ? likely : firstAllowed(resident, state);
    const token = sampleToken(allowed, options.sampling, uniform);
    if (state !== undefined) acceptToken(weights, state, token);
    return { token, candidates: allowed };
  };
}

function commonOptions({ sampling, sampled }: SamplerOptions): SequenceEvaluateOptions {
  const { frequencyPenalty, presencePenalty, repeatPenalty = 1 } = sampling;
  const penaltyTokens = sampling.penaltyTokens ?? Infinity;
  const penalised =
    penaltyTokens > 0 && (frequencyPenalty !== 0 || presencePenalty !== 0 || repeatPenalty !== 1);
  return penalised
    ? {
        repeatPenalty: {
          punishTokens: () => (penaltyTokens === Infinity ? [...sampled()] : sampled().slice(-penaltyTokens)),
          penalty: repeatPenalty,
          frequencyPenalty,
          presencePenalty,
        },
      }
    : {};
}

/** Returns the option `tokenBias`, which costs time for every token, or nothing where no logit changes. */
function biasOption(weights: Resident["weights"], { sampling, suppressed }: SamplerOptions) {
  const requested = tokenBias(weights, sampling, []);
  if (suppressed === null)
    return Object.keys(sampling.logitBias).length === 0 ? {} : { tokenBias: requested };
  // The control tokens of a vocabulary are one long list, suppressed at many places.
  const known = new WeakMap<readonly Token[], TokenBias>();
  return {
    tokenBias: () => {
      const tokens = suppressed();
      if (tokens.length === 0) return requested;
      const bias = known.get(tokens) ?? tokenBias(weights, sampling, tokens);
      known.set(tokens, bias);
      return bias;
    },
  };
}

/** Added to the logit of a suppressed token; finite, so that a grammar that requires the token still gets it. */
const suppression = -1_000;

function tokenBias(
  weights: Resident["weights"],
  { logitBias }: Sampling,
  suppressed: readonly Token[],
): TokenBias {
  const made = new TokenBias(weights.tokenizer);
  // The library's setter ignores end-of-turn tokens, which are the most common tokens to ban.
  const { _biases: logits } = made as unknown as { readonly _biases: Map<Token, number> };
  for (const [token, logit] of Object.entries(logitBias)) logits.set(Number(token) as Token, logit);
  for (const token of suppressed) logits.set(token, suppression);
  return made;
}

/** Returns the first token of the vocabulary that the grammar allows, for when it allows no likely token. */
function firstAllowed(
  { weights, vocabularyTokens }: Resident,
  state: LlamaGrammarEvaluationState | undefined,
): readonly TokenCandidate[] {
  for (let token = 0; token < vocabularyTokens && state !== undefined; token += 1)
    if (grammarAllows(weights, state, token as Token)) return [{ token: token as Token, logprob: -100 }];
  // Where the grammar took too long, it seems to allow nothing; this throws the reason.
  if (state !== undefined) acceptToken(weights, state, 0 as Token);
  throw new Error("the grammar allows no token");
}
