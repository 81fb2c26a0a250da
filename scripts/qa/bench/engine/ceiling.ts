/**
 * The upper bound: sequences driven in lock-step with node-llama-cpp's public API, in this process and with
 * nothing around them. The distance to it is what Hearth adds (HTTP, a worker thread, scheduling, decoding of
 * text).
 */
import { getLlama, LlamaLogLevel, type LlamaContextSequence, type Token } from "node-llama-cpp";
import type { BenchModel } from "../../world/models.js";
import type { Contender, TokenizedPrompt, Terms, TimedAnswer } from "./contender.js";

export interface Ceiling extends Contender {
  /** Returns the prompt that every contender builds from a message. */
  prompt(content: string): TokenizedPrompt;
}

/** Loads the model in this process. */
export async function startCeiling(model: BenchModel, terms: Terms): Promise<Ceiling> {
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: terms.threads,
    logLevel: LlamaLogLevel.error,
  });
  const weights = await llama.loadModel({ modelPath: model.file });
  const context = await weights.createContext({
    contextSize: terms.contextTokens + 1,
    sequences: terms.slots,
    batchSize: terms.chunkTokens + terms.slots,
    threads: terms.threads,
    flashAttention: "auto",
  });
  const sequences = Array.from({ length: terms.slots }, () => context.getSequence());
  return {
    name: "raw loop",
    prompt(content) {
      const text = `<|im_start|>user\n${content}<|im_end|>\n<|im_start|>assistant\n`;
      return { content, tokens: weights.tokenize(text, true) };
    },
    answer: (prompts, maxTokens) => lockStep(sequences, prompts, { maxTokens, ...terms }),
    async close() {
      await context.dispose();
      await weights.dispose();
      await llama.dispose();
    },
  };
}

interface Bounds extends Terms {
  readonly maxTokens: number;
}

async function lockStep(
  sequences: readonly LlamaContextSequence[],
  prompts: readonly TokenizedPrompt[],
  bounds: Bounds,
): Promise<readonly TimedAnswer[]> {
  const askedAt = performance.now();
  const arrivals: number[][] = prompts.map(() => []);
  const running: AsyncGenerator<Token, void, void>[] = [];
  const cached: number[] = [];
  for (const [index, { tokens }] of prompts.entries()) {
    const sequence = sequences[index];
    if (sequence === undefined) throw new Error("more prompts than sequences");
    await sequence.adaptStateToTokens(tokens.slice(0, -1) as Token[], false);
    cached.push(sequence.nextTokenIndex);
    running.push(await begin(sequence, tokens as Token[], bounds.chunkTokens));
  }
  for (let round = 0; round < bounds.maxTokens; round += 1) {
    await Promise.all(running.map((iterator) => iterator.next()));
    const now = performance.now();
    for (const times of arrivals) times.push(now);
  }
  for (const iterator of running) await iterator.return();
  return arrivals.map((times, index) => ({
    askedAt,
    arrivals: times,
    tokens: times.length,
    cachedTokens: cached[index] ?? 0,
  }));
}

/**
 * Evaluates the remaining tokens except the last chunk; the first step of the returned iterator yields the
 * first token.
 */
async function begin(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  chunkTokens: number,
): Promise<AsyncGenerator<Token, void, void>> {
  let done = sequence.nextTokenIndex;
  for (; tokens.length - done > chunkTokens; done += chunkTokens)
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, done + chunkTokens));
  return sequence.evaluate(tokens.slice(done), { temperature: 0, yieldEogToken: true });
}
