import { fileURLToPath } from "node:url";
import {
  LlamaGrammarEvaluationState,
  type Llama,
  type LlamaContextSequence,
  type LlamaModel,
  type Token,
} from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlama } from "../../../kit/engine/llama.js";
import type { Message, Tool } from "../../../../src/core/generation.js";
import { createPromptBuilder } from "../../../../src/engine/language/prompt/prompt.js";
import { readToolFormat } from "../../../../src/engine/language/tools/format.js";
import { RuleSet } from "../../../../src/grammar/gbnf.js";
import { renderHere } from "../../../kit/engine/render-here.js";
import { readAnswer } from "../../../kit/engine/tool-answers.js";

const path = fileURLToPath(new URL("../../../../models/hearth-tiny-5m/hearth-tiny-5m.gguf", import.meta.url));
const weather: Tool = {
  name: "get_weather",
  description: "Get the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

let llama: Llama;
let model: LlamaModel;
let sequence: LlamaContextSequence;
let template: string;
beforeAll(async () => {
  llama = await loadLlama();
  model = await llama.loadModel({ modelPath: path });
  sequence = (await model.createContext({ contextSize: 1024, sequences: 1, threads: 1 })).getSequence();
  template = model.fileInfo.metadata.tokenizer?.chat_template ?? "";
});
afterAll(async () => {
  await model.dispose();
});

/** Generates an answer greedily; `state` receives the answer so far before every token. */
async function answer(
  messages: readonly Message[],
  tools: readonly Tool[],
  state: (text: string) => LlamaGrammarEvaluationState | undefined,
): Promise<string> {
  const prompt = await createPromptBuilder({
    modelId: "model",
    renderer: renderHere(template),
    tools: readToolFormat(template),
    repairs: [],
    reasoning: null,
    specialTokens: [],
    addsSpace: false,
    bosText: "",
    eosText: "",
    prependToken: null,
    contextTokens: 1024,
    longestTokenBytes: 16,
    infill: null,
    vocabularyTokens: 0,
    readBytes: () => new Uint8Array(0),
    tokenize: (text, special) => model.tokenize(text, special),
  }).build({ messages, tools, reasoningEffort: "none" });
  await sequence.clearHistory();
  const sampled: Token[] = [];
  const tokens = sequence.evaluate(Array.from(prompt.tokens) as Token[], {
    temperature: 0,
    grammarEvaluationState: () => state(model.detokenize(sampled)),
  });
  for await (const token of tokens) {
    sampled.push(token);
    if (sampled.length >= 80) break;
  }
  return model.detokenize(sampled);
}

/** Valid arguments of the tool. */
async function stateOf(grammar: string): Promise<LlamaGrammarEvaluationState> {
  return new LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
}

function argumentsRule(rules: RuleSet): string {
  return rules.add('"{\\"city\\": \\"" [A-Za-z ]{1,20} "\\"}"');
}

describe("the built-in model", () => {
  it("writes calls that its template's format reads", async () => {
    const text = await answer(
      [{ role: "user", content: "What is the weather in Paris?" }],
      [weather],
      () => undefined,
    );
    expect(readAnswer(readToolFormat(template), text, [weather])).toMatchObject({
      text: "",
      calls: [{ name: "get_weather", arguments: { city: "Paris" } }],
    });
  });

  it("calls a tool when it is forced to, whatever the prompt", async () => {
    const of = readToolFormat(template);
    const rules = new RuleSet({ prefix: "t" });
    const asked = { tools: [weather], argumentRules: [argumentsRule(rules)], callsMin: 1, callsMax: 1 };
    const forced = await stateOf(rules.text(rules.add(of.callGrammar(asked, rules))));
    const text = await answer([{ role: "user", content: "Hello!" }], [weather], () => forced);
    const { calls, text: said } = readAnswer(of, text, [weather]);
    expect({ names: calls.map(({ name }) => name), said }).toEqual({ names: ["get_weather"], said: "" });
  });

  it("is constrained to the available tools once it starts a call by itself, and not before", async () => {
    const of = readToolFormat(template);
    const other: Tool = { ...weather, name: "sky_now" };
    // The grammar has another name than the prompt, so only the grammar can have produced it.
    const rules = new RuleSet({ prefix: "t" });
    const asked = { tools: [other], argumentRules: [argumentsRule(rules)], callsMin: 1, callsMax: 1 };
    const right = of.continuation("<tool_call>", asked, rules);
    const lazy = await stateOf(rules.text(rules.add(right ?? "")));
    let open = false;
    const state = (text: string): LlamaGrammarEvaluationState | undefined => {
      open ||= of.createOpeningDetector().push(text) !== null;
      return open ? lazy : undefined;
    };
    const called = await answer(
      [{ role: "user", content: "What is the weather in Paris?" }],
      [weather],
      state,
    );
    expect(readAnswer(of, called, [other]).calls.map(({ name }) => name)).toEqual(["sky_now"]);
    open = false;
    const talked = await answer([{ role: "user", content: "Hello!" }], [], state);
    expect(readAnswer(of, talked, [other])).toMatchObject({ text: talked.trim(), calls: [] });
  });
});
