import type { LlamaGrammar } from "node-llama-cpp";
import { loadLlama } from "../kit/engine/llama.js";
import { RuleSet } from "../../src/grammar/gbnf.js";

/** Returns a function that matches complete texts with llama.cpp's own matcher. */
export async function engineMatcher(grammar: string): Promise<(text: string) => boolean> {
  const llama = await loadLlama();
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
