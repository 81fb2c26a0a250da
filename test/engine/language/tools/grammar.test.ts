import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLlama } from "../../../kit/engine/llama.js";
import type { Tool } from "../../../../src/core/generation.js";
import { RuleSet } from "../../../../src/grammar/gbnf.js";
import type { ToolFormat } from "../../../../src/engine/language/tools/format.js";
import { familyNames, format, readAnswer, tools, transcripts } from "../../../kit/engine/tool-answers.js";

let llama: Llama;
beforeAll(async () => {
  llama = await loadLlama();
});

/** Returns whether a grammar accepts a complete text, by the engine's own matcher. */
async function matcher(grammar: string): Promise<(text: string) => boolean> {
  const made = (await llama.createGrammar({ grammar })) as unknown as { _testText(text: string): boolean };
  return (text) => made._testText(text);
}

/** Any JSON object, for the arguments. */
function anyObject(rules: RuleSet): string {
  const value = rules.reserve();
  const string = rules.add('"\\"" ([^"\\\\\\x00-\\x1f] | "\\\\" ["\\\\/bfnrtu])* "\\""');
  const object = rules.add(`"{" (${string} ": " ${value} (", " ${string} ": " ${value})*)? "}"`);
  const array = rules.add(`"[" (${value} (", " ${value})*)? "]"`);
  rules.define(value, `${object} | ${array} | ${string} | "-"? [0-9]+ | "true" | "false" | "null"`);
  return object;
}

type Make = (of: ToolFormat, names: readonly string[], rules: RuleSet) => string | null;

function grammarOf(family: string, known: readonly Tool[], make: Make): string {
  const rules = new RuleSet({ prefix: "t" });
  const object = anyObject(rules);
  const right = make(
    format(family),
    known.map(() => object),
    rules,
  );
  if (right === null) throw new Error("there is no grammar");
  return rules.text(rules.add(right));
}

const required =
  (callsMin: number, callsMax: number, known: readonly Tool[] = tools): Make =>
  (of, names, rules) =>
    of.callGrammar({ tools: known, argumentRules: names, callsMin, callsMax }, rules);

describe.each(familyNames)("the grammar of the family %s", (family) => {
  const written = transcripts(family).filter((each) => each.written === true);
  const one = written.filter(({ calls }) => calls.length === 1);
  const two = written.filter(({ calls }) => calls.length === 2);

  it("accepts the family's calls, and rejects unknown tools, surrounding text and incomplete calls", async () => {
    const accepts = await matcher(grammarOf(family, tools, required(1, 8)));
    expect(one.length).toBeGreaterThan(0);
    for (const { answer } of written) {
      expect({ answer, whole: accepts(answer) }).toEqual({ answer, whole: true });
      for (const wrong of [
        `Well, ${answer}`,
        `${answer}!`,
        answer.slice(0, -1),
        answer.replaceAll(/get_time|add|note/g, "rm"),
        "",
      ])
        expect({ wrong, whole: accepts(wrong) }).toEqual({ wrong, whole: false });
    }
  });

  it("accepts no call without some of its layout that the parser does not read as a call of the same tool", async () => {
    const accepts = await matcher(grammarOf(family, tools, required(1, 8)));
    for (const { answer, calls } of written) {
      const accepted = [...answer.matchAll(/\s|<\|constrain\|>/g)]
        .flatMap(({ index, 0: left }) =>
          [left.length, left.length + 1].map((count) => [index, count] as const),
        )
        .flatMap(([index, count]) =>
          [index, index - 1].map((from) => answer.slice(0, from) + answer.slice(from + count)),
        )
        .filter((without) => accepts(without));
      const called = calls.map(({ name }) => name);
      // What stands in a value may be missing, too.
      for (const without of [answer, ...accepted]) {
        const names = readAnswer(format(family), without).calls.map(({ name }) => name);
        expect({ without, names }).toEqual({ without, names: called });
      }
    }
  });

  it("requires the requested number of calls", async () => {
    const single = await matcher(grammarOf(family, tools, required(1, 1)));
    for (const { answer } of one) expect(single(answer)).toBe(true);
    for (const { answer } of two) expect(single(answer)).toBe(false);
    if (two.length === 0) return;
    const pair = await matcher(grammarOf(family, tools, required(2, 2)));
    for (const { answer } of one) expect(pair(answer)).toBe(false);
    for (const { answer } of two) expect(pair(answer)).toBe(true);
  });

  it("allows only the given tools", async () => {
    const known = tools.slice(1, 2);
    const accepts = await matcher(grammarOf(family, known, required(1, 8, known)));
    for (const { answer, calls } of written)
      expect(accepts(answer)).toBe(calls.every(({ name }) => name === "add"));
  });

  it("continues from any place in the opening of a call", async () => {
    for (const { answer } of one) {
      const watch = format(family).createOpeningDetector();
      const told = [...answer].map((letter) => watch.push(letter));
      const opened = told.findIndex((begun) => begun !== null) + 1;
      expect(opened).toBeGreaterThan(0);
      const nameAt = answer.indexOf((transcripts(family)[0]?.calls[0]?.name ?? "").slice(0, 3));
      for (let at = opened; at <= Math.max(opened, nameAt + 2); at++) {
        const make: Make = (of, names, rules) =>
          of.continuation(
            answer.slice(0, at),
            { tools, argumentRules: names, callsMin: 1, callsMax: 8 },
            rules,
          );
        const accepts = await matcher(grammarOf(family, tools, make));
        expect({ rest: answer.slice(at), whole: accepts(answer.slice(at)) }).toEqual({
          rest: answer.slice(at),
          whole: true,
        });
      }
    }
  });

  it("does not continue from text that turned out not to be an opening", () => {
    const opening = (format(family).openings[0]?.pieces ?? []).join("");
    const rules = new RuleSet({ prefix: "t" });
    const names = tools.map(() => anyObject(new RuleSet({ prefix: "u" })));
    const asked = { tools, argumentRules: names, callsMin: 1, callsMax: 1 };
    expect(format(family).continuation(`${opening}\u0000`, asked, rules)).toBeNull();
  });
});

describe("the grammar of calls", () => {
  it("D8: accepts names with quotes, marks and any script, like the parser", async () => {
    const names = ['say "hi"\\', "</tool_call>", "天気", "a b"];
    const odd: readonly Tool[] = names.map((name) => ({ name, parameters: { type: "object" } }));
    const accepts = await matcher(grammarOf("hermes", odd, required(1, 1, odd)));
    for (const name of names) {
      const answer = `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": {"a": 1}}\n</tool_call>`;
      expect(accepts(answer)).toBe(true);
      expect(readAnswer(format("hermes"), answer, odd).calls).toEqual([{ name, arguments: { a: 1 } }]);
    }
  });

  it.each(["hermes", "llama", "deepseek"])(
    "D8: supports a thousand tools in the style of %s",
    async (family) => {
      const many: readonly Tool[] = Array.from({ length: 1000 }, (_, index) => ({
        name: `tool_${index}`,
        parameters: { type: "object" },
      }));
      const accepts = await matcher(grammarOf(family, many, required(1, 4, many)));
      const { answer } = transcripts(family)[0] ?? { answer: "" };
      expect(accepts(answer.replace("get_time", "tool_999"))).toBe(true);
      expect(accepts(answer.replace("get_time", "tool_1000"))).toBe(false);
    },
  );

  it("throws when there is no tool to call", () => {
    expect(() => grammarOf("hermes", [], required(1, 1, []))).toThrow(RangeError);
  });

  it("writes tagged arguments with the digits of a number that no double keeps", async () => {
    const parametersText =
      '{"properties":{"id":{"const":9007199254740993},"to":{"enum":[0.1234567890123456789]}},"required":["id","to"]}';
    const parameters = JSON.parse(parametersText) as Tool["parameters"];
    const known: readonly Tool[] = [{ name: "f", parameters, parametersText }];
    const accepts = await matcher(grammarOf("qwen-coder", known, required(1, 1, known)));
    const call = (id: string, to: string): string =>
      `<tool_call>\n<function=f>\n<parameter=id>\n${id}\n</parameter>\n<parameter=to>\n${to}\n</parameter>\n</function>\n</tool_call>`;
    expect(accepts(call("9007199254740993", "0.1234567890123456789"))).toBe(true);
    expect(accepts(call("9007199254740992", "0.1234567890123456789"))).toBe(false);
    expect(accepts(call("9007199254740993", "0.12345678901234568"))).toBe(false);
  });

  it("restricts tagged arguments to their types, with required ones always present", async () => {
    const schema = {
      properties: {
        kind: { enum: ["a", "b"] },
        count: { type: "integer" },
        on: { type: "boolean" },
        text: { type: "string" },
      },
      required: ["count", "text"],
    };
    const known: readonly Tool[] = [{ name: "f", parameters: schema }];
    const accepts = await matcher(grammarOf("qwen-coder", known, required(1, 1, known)));
    const call = (...members: readonly (readonly [string, string])[]): string =>
      `<tool_call>\n<function=f>\n${members.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`).join("")}</function>\n</tool_call>`;
    expect(accepts(call(["count", "-3"], ["text", 'a </parameter </p <b>"\n']))).toBe(true);
    expect(accepts(call(["on", "true"], ["count", "1"], ["text", ""]))).toBe(false);
    expect(accepts(call(["count", "1"], ["on", "true"], ["text", ""]))).toBe(true);
    expect(accepts(call(["count", "1"]))).toBe(false);
    expect(accepts(call(["count", "x"], ["text", ""]))).toBe(false);
    expect(accepts(call(["count", "1"], ["text", "a</parameter>b"]))).toBe(false);
  });
});
