/**
 * Where the next token of a sequence comes from. Without log probabilities the library's own sampler draws it; with them the
 * thousand likeliest tokens come back with their true probabilities and are drawn from here, because what the library tells
 * after its own chain is changed by temperature and cut by top_p. Owns no sequence and no text.
 */
import {
  TokenBias,
  type LlamaContextSequence,
  type LlamaGrammarEvaluationState,
  type SequenceEvaluateOptions,
  type Token,
} from "node-llama-cpp";
import type { Sampling } from "../../../core/generation.js";
import { draw, seededUniform, type Candidate } from "./sample.js";
import { acceptToken, canFollow } from "./grammar-state.js";
import type { Resident } from "../load/resident.js";

/** Sampling looks at the thousand likeliest tokens: the tail beyond costs a full sort of the vocabulary and is never met. */
const candidatesMax = 1000;

export interface Sampled {
  readonly token: Token;
  /**
   * The likeliest of the tokens that could stand here, likeliest first, as likely as the model finds them; null where they
   * were not asked for.
   */
  readonly candidates: readonly Candidate[] | null;
}

/** Tokens of one sequence, one after the other. */
export interface TokenSource {
  /**
   * Evaluates the last token and samples the next.
   * @param instead evaluated in place of the last token.
   */
  next(instead?: readonly Token[]): Promise<Sampled | null>;
  end(): Promise<void>;
}

export interface SamplerOptions {
  readonly sampling: Sampling;
  readonly seed: number;
  readonly withCandidates: boolean;
  /** Tokens that the penalties count. */
  readonly sampled: () => readonly Token[];
  /** Asked before every token: what it is held to, if anything. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
}

/** Begins with the last part of the prompt, which is evaluated with the first token. */
export function startSampler(
  resident: Resident,
  sequence: LlamaContextSequence,
  prompt: Token[],
  options: SamplerOptions,
): TokenSource {
  return options.withCandidates
    ? ownSampler(resident, sequence, prompt, options)
    : librarySampler(resident, sequence, prompt, options);
}

function librarySampler(
  resident: Resident,
  sequence: LlamaContextSequence,
  prompt: Token[],
  options: SamplerOptions,
): TokenSource {
  const { sampling, seed, grammar } = options;
  const iterator = sequence.evaluate(prompt, {
    ...shared(resident, options),
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: Math.min(sampling.topK ?? candidatesMax, candidatesMax),
    minP: sampling.minP,
    seed,
    grammarEvaluationState: grammar,
  });
  return {
    async next(instead) {
      const { value, done } = await (instead === undefined ? iterator.next() : iterator.next([...instead]));
      return done === true ? null : { token: value, candidates: null };
    },
    end: async () => void (await iterator.return()),
  };
}

function ownSampler(
  resident: Resident,
  sequence: LlamaContextSequence,
  prompt: Token[],
  options: SamplerOptions,
): TokenSource {
  const uniform = seededUniform(options.seed);
  const iterator = sequence.evaluateWithMetadata(
    prompt,
    { probabilities: true },
    {
      ...shared(resident, options),
      temperature: 1,
      topP: 1,
      topK: candidatesMax,
      minP: 0,
      seed: options.seed,
    },
  );
  let last: Token | null = null;
  return {
    async next(instead) {
      const before = instead ?? (last === null ? undefined : [last]);
      const { value, done } = await (before === undefined ? iterator.next() : iterator.next([...before]));
      if (done === true) return null;
      const candidates = [...value.probabilities].map(([token, probability]) => ({
        token,
        logprob: Math.log(probability),
      }));
      const state = options.grammar();
      const likely =
        state === undefined
          ? candidates
          : candidates.filter(({ token }) => canFollow(resident.weights, state, token));
      const allowed = likely.length > 0 ? likely : anyAllowed(resident, state);
      const token = draw(allowed, options.sampling, uniform);
      if (state !== undefined) acceptToken(resident.weights, state, token);
      last = token;
      return { token, candidates: allowed };
    },
    end: async () => void (await iterator.return()),
  };
}

function shared({ weights }: Resident, { sampling, sampled }: SamplerOptions): SequenceEvaluateOptions {
  const { frequencyPenalty, presencePenalty } = sampling;
  const penalised = frequencyPenalty !== 0 || presencePenalty !== 0;
  const bias = Object.entries(sampling.logitBias);
  return {
    yieldEogToken: true,
    ...(penalised
      ? {
          repeatPenalty: {
            punishTokens: () => [...sampled()],
            penalty: 1,
            frequencyPenalty,
            presencePenalty,
          },
        }
      : {}),
    ...(bias.length > 0 ? { tokenBias: tokenBias(weights, bias) } : {}),
  };
}

function tokenBias(weights: Resident["weights"], bias: readonly (readonly [string, number])[]): TokenBias {
  const made = new TokenBias(weights.tokenizer);
  // Its own setter leaves out the tokens that end a turn; to forbid those is the commonest bias of all.
  const { _biases: logits } = made as unknown as { readonly _biases: Map<Token, number> };
  for (const [token, logit] of bias) logits.set(Number(token) as Token, logit);
  return made;
}

/** None of the likely tokens fits the grammar: any that does, in the order of the vocabulary. */
function anyAllowed(
  { weights, vocabularyTokens }: Resident,
  state: LlamaGrammarEvaluationState | undefined,
): readonly Candidate[] {
  for (let token = 0; token < vocabularyTokens && state !== undefined; token += 1)
    if (canFollow(weights, state, token as Token)) return [{ token: token as Token, logprob: -100 }];
  throw new Error("no token fits the grammar");
}
