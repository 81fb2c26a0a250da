/**
 * Evaluates tokens of a sequence and reads the logits at several of them. The library's iterators read them at the last token only, so
 * this goes through methods that are missing from its types.
 */
import type { LlamaContextSequence, LlamaModel, SequenceEvaluateOptions, Token } from "node-llama-cpp";

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

export type LibrarySampler = ReturnType<typeof createLibrarySampler>;

/**
 * Evaluates tokens, then calls `read` for each from `first` on, in order and one at a time, with the row of its logits.
 * @throws what `read` throws
 */
export async function evaluateTokens(
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
export async function removeTokens(sequence: LlamaContextSequence, count: number): Promise<void> {
  const end = sequence.nextTokenIndex;
  if (count > 0) await sequence.eraseContextTokenRanges([{ start: end - count, end }]);
}

/** Creates the library's sampler of one sequence. Its random numbers go on from one token to the next. */
export function createLibrarySampler(weights: LlamaModel, sequence: LlamaContextSequence) {
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
