import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLlama } from "../../../kit/engine/llama.js";
import type { Tool } from "../../../../src/core/generation.js";
import { RuleSet } from "../../../../src/grammar/gbnf.js";
import type { RequestedCalls } from "../../../../src/engine/language/tools/grammar.js";
import { formatFor, names, tool, turnOf } from "./derived-formats.js";

let llama: Llama;
beforeAll(async () => {
  llama = await loadLlama();
});

const known: readonly Tool[] = [
  { ...tool, parameters: { ...tool.parameters, required: ["text", "count"] } },
  { name: "other", parameters: { type: "object", properties: {} } },
];
const values = {
  text: 'He said: a, (b) and "c".',
  count: -12,
  on: true,
  list: [1, "x", [false]],
  object: { a: null },
};

/** Returns whether a grammar accepts a complete text, by the engine's own matcher. */
async function matcher(
  make: (requested: RequestedCalls, rules: RuleSet) => string | null,
): Promise<(text: string) => boolean> {
  const rules = new RuleSet({ prefix: "t" });
  const value = rules.reserve();
  const string = rules.add('"\\"" ([^"\\\\\\x00-\\x1f] | "\\\\" ["\\\\/bfnrtu])* "\\""');
  const object = rules.add(`"{" (${string} ":" " "? ${value} ("," " "? ${string} ":" " "? ${value})*)? "}"`);
  const array = rules.add(`"[" (${value} ("," " "? ${value})*)? "]"`);
  rules.define(value, `${object} | ${array} | ${string} | "-"? [0-9]+ | "true" | "false" | "null"`);
  const requested = { tools: known, argumentRules: known.map(() => object), callsMin: 1, callsMax: 4 };
  const right = make(requested, rules);
  if (right === null) throw new Error("there is no grammar");
  const grammar = rules.text(rules.toName(right));
  const made = (await llama.createGrammar({ grammar })) as unknown as { _testText(text: string): boolean };
  return (text) => made._testText(text);
}

describe("the grammar of a derived format", () => {
  it.each(names)(
    "accepts what the template writes, and no other tools, texts and values: %s",
    async (name) => {
      const format = formatFor(name);
      const turn = (await turnOf(name, [values])).trim();
      const accepts = await matcher((requested, rules) => format.callGrammar(requested, rules));
      expect({ turn, isAccepted: accepts(turn) }).toEqual({ turn, isAccepted: true });
      for (const wrong of [
        `Well, ${turn}`,
        `${turn}!`,
        turn.slice(0, -1),
        turn.replaceAll("set_values", "rm"),
        "",
      ])
        expect({ wrong, isAccepted: accepts(wrong) }).toEqual({ wrong, isAccepted: false });
      const two = (await turnOf(name, format.parallel ? [values, values] : [values])).trim();
      expect({ two, isAccepted: accepts(two) }).toEqual({ two, isAccepted: true });
    },
  );

  it.each(names)("continues from every place between the opening and the name: %s", async (name) => {
    const format = formatFor(name);
    const turn = (await turnOf(name, [values])).trim();
    const detector = format.createOpeningDetector();
    const found = [...turn].findIndex((character) => detector.push(character) !== null) + 1;
    expect(found).toBeGreaterThan(0);
    const argumentsAt = turn.search(/\{"text"/) + 1 || turn.length;
    for (let at = found; at <= Math.min(turn.indexOf("set_values") + 3, argumentsAt - 1); at++) {
      const started = turn.slice(0, at);
      const accepts = await matcher((requested, rules) => format.continuation(started, requested, rules));
      const rest = turn.slice(at);
      expect({ started, isAccepted: accepts(rest) }).toEqual({ started, isAccepted: true });
    }
  });
});
