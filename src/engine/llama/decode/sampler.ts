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
  type LlamaModel,
} from "node-llama-cpp";
import type { Sampling } from "../../../core/generation.js";
import type { SampledToken, TokenCandidate } from "../../language/answer/sampled-token.js";
import { sampleToken, seededUniform } from "./sample.js";
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

// Evaluates tokens of a sequence and reads the logits at several of them. The library's iterators read them at the last token only, so
// this goes through methods that are missing from its types.

interface NativeSequence {
  readonly _contextShift: unknown;
  readonly _tokenMeter: unknown;
  readonly context: { readonly _ctx: { sampleToken(...args: readonly unknown[]): Promise<unknown> } };
  _resolveSamplerConfig(options: SequenceEvaluateOptions): object;
  _decodeTokens(
    tokens: readonly Token[],
    logits: readonly boolean[],
    priority: number,
    meter: unknown,
    contextShift: unknown,
    read: (row: number, at: number) => Promise<void>,
  ): Promise<unknown>;
}

interface NativeSampler {
  applyConfig(config: object): void;
  dispose(): void;
}

/** The library's priority of a batch item where none is given. */
const usualPriority = 5;

/** What the addon returns in place of a token. */
const noToken = -1;

type LibrarySampler = ReturnType<typeof createLibrarySampler>;

/**
 * Evaluates tokens, then calls `read` for each from `first` on, in order and one at a time, with the row of its logits.
 * @throws what `read` throws
 */
async function evaluateTokens(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  first: number,
  read: (row: number, at: number) => Promise<void>,
): Promise<void> {
  const native = sequence as unknown as NativeSequence;
  const logits = tokens.map((_, at) => at >= first);
  let failure: { readonly thrown: unknown } | null = null;
  // The library never settles an evaluation in which this callback fails.
  const guarded = async (row: number, at: number): Promise<void> => {
    if (failure !== null) return;
    await read(row, at).catch((thrown: unknown) => (failure = { thrown }));
  };
  const { _tokenMeter: meter, _contextShift: shift } = native;
  await native._decodeTokens(tokens, logits, usualPriority, meter, shift, guarded);
  throwIfAny(failure);
}

function throwIfAny(failure: { readonly thrown: unknown } | null): void {
  if (failure !== null) throw failure.thrown;
}

/** Removes the last tokens of a sequence. Its state must be one that can be truncated. */
async function removeTokens(sequence: LlamaContextSequence, count: number): Promise<void> {
  const end = sequence.nextTokenIndex;
  if (count > 0) await sequence.eraseContextTokenRanges([{ start: end - count, end }]);
}

/** Creates the library's sampler of one sequence. Its random numbers go on from one token to the next. */
function createLibrarySampler(weights: LlamaModel, sequence: LlamaContextSequence) {
  const { llama, _model } = weights as unknown as {
    readonly _model: unknown;
    readonly llama: { readonly _bindings: { readonly AddonSampler: new (model: unknown) => NativeSampler } };
  };
  const native = sequence as unknown as NativeSequence;
  const { _ctx: context } = native.context;
  const sampler = new llama._bindings.AddonSampler(_model);
  let greedy: NativeSampler | null = null;
  return {
    /** Samples from a row of logits. @throws Error where no token can be sampled */
    async sample(row: number, options: SequenceEvaluateOptions): Promise<Token> {
      sampler.applyConfig(native._resolveSamplerConfig(options));
      const token = (await context.sampleToken(row, sampler)) as Token;
      if (token === noToken) throw new Error("no token can be sampled");
      return token;
    },
    /** Samples, too, and returns the likeliest tokens with their probabilities, in order. */
    async probabilities(
      row: number,
      options: SequenceEvaluateOptions,
    ): Promise<readonly (readonly [Token, number])[]> {
      sampler.applyConfig(native._resolveSamplerConfig(options));
      const [, flat] = (await context.sampleToken(row, sampler, true, false)) as [Token, ArrayLike<number>];
      return Array.from({ length: flat.length / 2 }, (_, at) => [
        flat[at * 2] as Token,
        flat[at * 2 + 1] ?? 0,
      ]);
    },
    /** Returns the probability of the likeliest token among all. It sorts the whole vocabulary: up to 20 ms for 150,000 tokens. */
    async greatestProbability(row: number, options: SequenceEvaluateOptions): Promise<number> {
      greedy ??= new llama._bindings.AddonSampler(_model);
      greedy.applyConfig(native._resolveSamplerConfig({ ...options, temperature: 0 }));
      const [, , confidence] = (await context.sampleToken(row, greedy, false, true)) as [
        Token,
        unknown,
        number,
      ];
      return confidence;
    },
    dispose(): void {
      sampler.dispose();
      greedy?.dispose();
    },
  };
}
