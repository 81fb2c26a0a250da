/** Uses llama.cpp's own matcher, without a model, to test whether a grammar generates a text. */
import { getLlama, type LlamaGrammar } from "node-llama-cpp";

/** A method that the types of node-llama-cpp omit. */
interface Testable {
  _testText(text: string): boolean;
}

export interface Compiled {
  /** Returns whether the grammar generates the whole text. */
  accepts(text: string): boolean;
  readonly milliseconds: number;
}

export interface Matcher {
  /** @throws Error if llama.cpp rejects the grammar */
  compile(grammar: string): Promise<Compiled>;
}

export async function startMatcher(): Promise<Matcher> {
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true });
  return {
    async compile(grammar) {
      const before = performance.now();
      const compiled = (await llama.createGrammar({ grammar })) as LlamaGrammar & Testable;
      const milliseconds = performance.now() - before;
      return { milliseconds, accepts: (text) => compiled._testText(text) };
    },
  };
}
