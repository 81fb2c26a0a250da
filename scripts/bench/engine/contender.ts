/**
 * The interface of the compared servers: it answers several prompts at once and records when each token
 * arrives.
 */

export interface Prompt {
  readonly content: string;
  /** The content in the model's chat template. */
  readonly tokens: readonly number[];
}

/** Times are values of `performance.now()`. */
export interface TimedAnswer {
  readonly askedAt: number;
  /** The arrival times of text, in order; several tokens can arrive together. */
  readonly arrivals: readonly number[];
  /** The number of tokens of the whole answer. */
  readonly tokens: number;
  readonly cachedTokens: number;
}

export interface Contender {
  readonly name: string;
  /** Sends all prompts at the same time with greedy decoding; resolves when all are answered. */
  answer(prompts: readonly Prompt[], maxTokens: number): Promise<readonly TimedAnswer[]>;
  close(): Promise<void>;
}

/** The settings that all contenders of a comparison share. */
export interface Terms {
  readonly slots: number;
  readonly contextTokens: number;
  readonly threads: number;
  readonly chunkTokens: number;
}

/**
 * Returns the tokens per second while all clients decode: from the time at which the last one receives its
 * first token to the time at which the first one receives its last.
 */
export function decodeRate(answers: readonly TimedAnswer[]): number {
  const from = Math.max(...answers.map(({ arrivals }) => arrivals[0] ?? Number.NaN));
  const to = Math.min(...answers.map(({ arrivals }) => arrivals.at(-1) ?? Number.NaN));
  const tokens = answers.map(
    (answer) => answer.arrivals.filter((at) => at > from && at <= to).length * tokensAnArrival(answer),
  );
  return (tokens.reduce((sum, count) => sum + count, 0) / (to - from)) * 1000;
}

/** Returns the milliseconds to the first token. */
export function firstTokenMs({ askedAt, arrivals }: TimedAnswer): number {
  return (arrivals[0] ?? Number.NaN) - askedAt;
}

/** Returns the average number of tokens per arrival; a character of several tokens arrives once. */
function tokensAnArrival({ tokens, arrivals }: TimedAnswer): number {
  return tokens / arrivals.length;
}
