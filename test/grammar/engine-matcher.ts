import { getLlama, type Llama, type LlamaGrammar } from "node-llama-cpp";
import { RuleSet } from "../../src/grammar/gbnf.js";

let engine: Promise<Llama> | null = null;

/** Returns a function that matches complete texts with llama.cpp's own matcher. */
export async function engineMatcher(grammar: string): Promise<(text: string) => boolean> {
  engine ??= getLlama({ gpu: false, build: "never", skipDownload: true });
  const llama = await engine;
  const made = (await llama.createGrammar({ grammar })) as LlamaGrammar & {
    _testText(text: string): boolean;
  };
  return (text) => made._testText(text);
}

/** Returns the text of a grammar with the rule that `make` adds as its root. */
export function grammarOf(make: (rules: RuleSet) => string): string {
  const rules = new RuleSet({ prefix: "r" });
  return rules.text(make(rules));
}
