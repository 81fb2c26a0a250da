/** What models write besides the layout of their family. */
import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { RuleSet } from "../../../../src/grammar/gbnf.js";
import { loadLlama } from "../../../kit/engine/llama.js";
import {
  eventsOf,
  familyNames,
  format,
  joined,
  readAnswer,
  tools,
  transcripts,
} from "../../../kit/engine/tool-answers.js";

let llama: Llama;
beforeAll(async () => {
  llama = await loadLlama();
});

const asked = { tools, callsMin: 1, callsMax: 8 };

/** Returns whether a grammar accepts a complete text, by the engine's own matcher. @param make its right side */
async function matcher(
  make: (rules: RuleSet, argumentRules: readonly string[]) => string | null,
): Promise<(text: string) => boolean> {
  const rules = new RuleSet({ prefix: "t" });
  const value = rules.reserve();
  const string = rules.add('"\\"" ([^"\\\\\\x00-\\x1f] | "\\\\" ["\\\\/bfnrtu])* "\\""');
  const object = rules.add(`"{" (${string} ": " ${value} (", " ${string} ": " ${value})*)? "}"`);
  rules.define(
    value,
    `${object} | ${string} | "-"? [0-9]+ | "true" | "false" | "null" | "[" (${value} (", " ${value})*)? "]"`,
  );
  const right = make(
    rules,
    tools.map(() => object),
  );
  if (right === null) throw new Error("there is no grammar");
  const grammar = rules.text(rules.toName(right));
  const made = (await llama.createGrammar({ grammar })) as unknown as { _testText(text: string): boolean };
  return (text) => made._testText(text);
}

const time = { name: "get_time", arguments: { zone: "CET" } };
const sum = { name: "add", arguments: { a: 1, b: 2 } };
const timeJson = '{"name": "get_time", "arguments": {"zone": "CET"}}';
const sumJson = '{"name": "add", "arguments": {"a": 1, "b": 2}}';

/** Calls without marks, which models of every family write, and whether a grammar can hold their arguments to any schema. */
const unmarked = [
  { answer: timeJson, calls: [time], isExact: true },
  { answer: `${timeJson}\n`, calls: [time], isExact: true },
  { answer: timeJson.replace("arguments", "parameters"), calls: [time], isExact: true },
  { answer: timeJson.replace("{", '{"type": "function", '), calls: [time], isExact: true },
  { answer: `[${timeJson}, ${sumJson}]`, calls: [time, sum], isExact: true },
  { answer: `${timeJson}; ${sumJson}`, calls: [time, sum], isExact: true },
  { answer: `${timeJson}\n${sumJson}`, calls: [time, sum], isExact: true },
  { answer: `\`\`\`json\n${timeJson}\n\`\`\``, calls: [time], isExact: true },
  { answer: `functools[${timeJson}, ${sumJson}]`, calls: [time, sum], isExact: true },
  { answer: 'get_time\n{"zone": "CET"}', calls: [time], isExact: true },
  { answer: `{"type": "function", "function": ${timeJson}}`, calls: [time], isExact: true },
  {
    answer: `{"function": ${timeJson.replace('{"zone": "CET"}', '"{\\"zone\\": \\"CET\\"}"')}}`,
    calls: [time],
  },
  { answer: '[get_time(zone="CET"), add(a=1, b=2)]', calls: [time, sum] },
  { answer: "get_time(zone='CET')", calls: [time] },
  { answer: '```python\nget_time(zone="CET")\n```', calls: [time] },
] as const;

// The messages of harmony have headers, which say what they are.
const withoutHeaders = familyNames.filter((family) => family !== "harmony");

describe.each(familyNames)("a model of the family %s", (family) => {
  const of = format(family);
  const written = transcripts(family).filter((each) => each.written === true);

  it("may write white space before its calls, and after them, and then end its turn", async () => {
    const accepts = await matcher((rules, argumentRules) =>
      of.callGrammar({ ...asked, argumentRules }, rules),
    );
    for (const { answer, calls } of written)
      for (const spaced of [`${answer}\n`, `${answer}\n\n`, `\n${answer}`, ` ${answer} `]) {
        expect({ spaced, isAccepted: accepts(spaced) }).toEqual({ spaced, isAccepted: true });
        expect({ spaced, ...readAnswer(of, spaced) }).toMatchObject({ spaced, text: "", calls });
      }
  });

  it("may end the line of a call that it has begun by itself", async () => {
    for (const { answer } of written) {
      const detector = of.createOpeningDetector();
      const at = [...answer].findIndex((character) => detector.push(character) !== null) + 1;
      const accepts = await matcher((rules, argumentRules) =>
        of.continuation(answer.slice(0, at), { ...asked, argumentRules }, rules),
      );
      const rest = `${answer.slice(at)}\n`;
      expect({ rest, isAccepted: at > 0 && accepts(rest) }).toEqual({ rest, isAccepted: true });
    }
  });

  it("has nothing of a call in its text where a limit cuts it, and nothing of another call", () => {
    const hasNoMarks = of.openings.some(({ atStart }) => atStart);
    for (const { answer, calls, text } of transcripts(family)) {
      if (calls.length === 0) continue;
      for (let end = 1; end <= answer.length; end++) {
        const parser = of.parser(tools);
        const events = [...parser.push(answer.slice(0, end)), ...parser.finish(true)];
        const shown = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
        // A fence, and what begins JSON, may be text.
        const said = shown.replace(/`{1,3}$/, "").trim();
        const isText = hasNoMarks && !tools.some(({ name }) => said.includes(name));
        const isPart = text.startsWith(said) || isText;
        const names = events.flatMap((event) => (event.type === "call-start" ? [event.name] : []));
        expect({ cut: answer.slice(0, end), shown, isPart }).toMatchObject({ isPart: true });
        expect(calls.slice(0, names.length).map(({ name }) => name)).toEqual(names);
      }
    }
  });
});

describe.each(withoutHeaders)("a call without marks of the family %s", (family) => {
  const of = format(family);

  it("is read, whole and in pieces", () => {
    for (const { answer, calls } of unmarked) {
      expect({ answer, ...readAnswer(of, answer) }).toEqual({
        answer,
        text: "",
        reasoning: "",
        calls,
        broken: [],
      });
      expect(joined(eventsOf(of, [...answer]))).toEqual(joined(eventsOf(of, [answer])));
    }
  });

  it("is read after a text where a fence is around it", () => {
    const answer = `I will look.\n\`\`\`json\n${timeJson}\n\`\`\``;
    expect(readAnswer(of, answer)).toMatchObject({ text: "I will look.", calls: [time] });
  });

  it("may be written where a call is required, if its arguments can be held to their schema", async () => {
    const accepts = await matcher((rules, argumentRules) =>
      of.callGrammar({ ...asked, argumentRules }, rules),
    );
    for (const { answer, ...each } of unmarked) {
      const isForced = "isExact" in each || !of.exact;
      expect({ answer, isAccepted: accepts(answer) }).toEqual({ answer, isAccepted: isForced });
    }
  });

  it("is text where it names no tool, or is ordinary JSON or code", () => {
    for (const answer of [
      '{"name": "Bob", "arguments": {"a": 1}}',
      '{"name": "get_time"}',
      '{"zone": "CET"}',
      '[1, {"name": "add"}]',
      "get_times(zone='CET')",
      "get_time is a tool",
      '```json\n{"a": 1}\n```',
      "```python\nprint(1)\n```",
      "```\nadd\n```",
    ])
      expect({ answer, ...readAnswer(of, answer) }).toEqual({
        answer,
        text: answer,
        reasoning: "",
        calls: [],
        broken: [],
      });
  });
});

describe("the arguments of a call", () => {
  const read = (answer: string): unknown => readAnswer(format("hermes"), answer).calls[0]?.arguments;
  const call = (members: string): string => `<tool_call>\n{"name": "get_time", ${members}}\n</tool_call>`;

  it("are read under another name than expected, or without one", () => {
    for (const members of [
      '"params": {"zone": "CET"}',
      '"kwargs": "{\\"zone\\": \\"CET\\"}"',
      '"zone": "CET"',
    ])
      expect(read(call(members))).toEqual({ zone: "CET" });
    expect(read(call('"id": "1"'))).toEqual({});
  });

  it("keep a backslash of Python before what is no escape", () => {
    const written = String.raw`get_time(zone="a\d\n\x41\101\u00e9\U0001f642\'")`;
    expect(readAnswer(format("llama4"), `[${written}]`).calls[0]?.arguments).toEqual({
      zone: "a\\d\nAAé\u{1f642}'",
    });
  });

  it("that may be a text or null are written as they are between tags", async () => {
    const schema = { type: "object", properties: { zone: { type: ["string", "null"] } } };
    const known = [{ name: "get_time", parameters: schema }];
    const of = format("qwen-coder");
    const accepts = await matcher((rules, argumentRules) =>
      of.callGrammar(
        { tools: known, argumentRules: argumentRules.slice(0, 1), callsMin: 1, callsMax: 1 },
        rules,
      ),
    );
    const answer =
      "<tool_call>\n<function=get_time>\n<parameter=zone>\nA text\n</parameter>\n</function>\n</tool_call>";
    expect(accepts(answer)).toBe(true);
    expect(readAnswer(of, answer, known).calls[0]?.arguments).toEqual({ zone: "A text" });
  });
});
