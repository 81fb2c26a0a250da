import { getLlama, type Llama, type LlamaGrammar } from "node-llama-cpp";
import { RuleBook } from "../../src/grammar/gbnf.js";

let engine: Promise<Llama> | null = null;

/** Whether a text is whole by a grammar, asked of llama.cpp's own matcher. */
export async function engineMatcher(grammar: string): Promise<(text: string) => boolean> {
  engine ??= getLlama({ gpu: false, build: "never", skipDownload: true });
  const llama = await engine;
  const made = (await llama.createGrammar({ grammar })) as LlamaGrammar & {
    _testText(text: string): boolean;
  };
  return (text) => made._testText(text);
}

/** The text of a grammar whose root is the rule that `make` adds. */
export function grammarOf(make: (rules: RuleBook) => string): string {
  const rules = new RuleBook({ prefix: "r" });
  return rules.text(make(rules));
}
