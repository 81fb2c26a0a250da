/** llama.cpp's own matcher, without a model: whether a text is one that a grammar generates. */
import { getLlama, type LlamaGrammar } from "node-llama-cpp";

/** node-llama-cpp keeps this one out of its types. */
interface Testable {
  _testText(text: string): boolean;
}

export interface Compiled {
  /** Whether the whole text is in the grammar's language. */
  takes(text: string): boolean;
  readonly milliseconds: number;
}

export interface Matcher {
  /** @throws Error when llama.cpp does not take the grammar */
  compile(grammar: string): Promise<Compiled>;
}

export async function startMatcher(): Promise<Matcher> {
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true });
  return {
    async compile(grammar) {
      const before = performance.now();
      const compiled = (await llama.createGrammar({ grammar })) as LlamaGrammar & Testable;
      const milliseconds = performance.now() - before;
      return { milliseconds, takes: (text) => compiled._testText(text) };
    },
  };
}
