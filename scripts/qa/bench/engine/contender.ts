/**
 * The interface of the compared servers: it answers several prompts at once and records when each token
 * arrives.
 */

export interface TokenizedPrompt {
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
  answer(prompts: readonly TokenizedPrompt[], maxTokens: number): Promise<readonly TimedAnswer[]>;
  close(): Promise<void>;
}

/** The settings that all contenders of a comparison share. */
export interface Terms {
  readonly slots: number;
  readonly contextTokens: number;
  /** The threads of the raw loop: what a rule gives a model of this size. Hearth measures its own. */
  readonly threads: number;
  /** The threads of llama-server: one for each core. */
  readonly cores: number;
  readonly chunkTokens: number;
}

/**
 * Returns all tokens per second from the moment at which the prompts are sent to the last token. It rates a server whose answers
 * begin or end far apart as its clients see it.
 */
export function totalRate(answers: readonly TimedAnswer[]): number {
  const from = Math.min(...answers.map(({ askedAt }) => askedAt));
  // An answer can end without any text.
  const to = Math.max(...answers.map(({ arrivals, askedAt }) => arrivals.at(-1) ?? askedAt));
  return (answers.reduce((sum, { tokens }) => sum + tokens, 0) / (to - from)) * 1000;
}

/** Returns the milliseconds to the first token. */
export function firstTokenMs({ askedAt, arrivals }: TimedAnswer): number {
  return (arrivals[0] ?? Number.NaN) - askedAt;
}
