/** What is compared: something that answers several prompts at once and tells when each token came. */

export interface Prompt {
  readonly content: string;
  /** The content in the model's chat template. */
  readonly tokens: readonly number[];
}

/** Times are those of `performance.now()`. */
export interface TimedAnswer {
  readonly askedAt: number;
  /** When text came, in order; several tokens may come together. */
  readonly arrivals: readonly number[];
  /** Tokens of the whole answer. */
  readonly tokens: number;
  readonly cachedTokens: number;
}

export interface Contender {
  readonly name: string;
  /** Asks all prompts at the same time, greedily; resolves when all are answered. */
  answer(prompts: readonly Prompt[], maxTokens: number): Promise<readonly TimedAnswer[]>;
  close(): Promise<void>;
}

/** What all contenders of one comparison have in common. */
export interface Terms {
  readonly slots: number;
  readonly contextTokens: number;
  readonly threads: number;
  readonly chunkTokens: number;
}

/**
 * Tokens a second while all clients decode: between the moment the last one got its first token and the moment the first one
 * got its last.
 */
export function decodeRate(answers: readonly TimedAnswer[]): number {
  const from = Math.max(...answers.map(({ arrivals }) => arrivals[0] ?? Number.NaN));
  const to = Math.min(...answers.map(({ arrivals }) => arrivals.at(-1) ?? Number.NaN));
  const tokens = answers.map(
    (answer) => answer.arrivals.filter((at) => at > from && at <= to).length * tokensAnArrival(answer),
  );
  return (tokens.reduce((sum, count) => sum + count, 0) / (to - from)) * 1000;
}

/** Milliseconds to the first token. */
export function firstTokenMs({ askedAt, arrivals }: TimedAnswer): number {
  return (arrivals[0] ?? Number.NaN) - askedAt;
}

/** A character of several tokens comes once for all of them. */
function tokensAnArrival({ tokens, arrivals }: TimedAnswer): number {
  return tokens / arrivals.length;
}
