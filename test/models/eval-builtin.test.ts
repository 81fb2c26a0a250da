import { describe, expect, it } from "vitest";
import type { Outcome } from "../../scripts/train/eval-builtin/ask.js";
import { shortcomings, type Answer } from "../../scripts/train/eval-builtin/grade.js";
import { readItems } from "../../scripts/train/eval-builtin/items.js";
import {
  renderFailures,
  renderSpeeds,
  renderTable,
  score,
  scoreSkills,
} from "../../scripts/train/eval-builtin/table.js";
import { useFolder } from "./folder.js";

const answer: Answer = { content: " Hello Ada! ", reasoning: "", finishReason: "stop", toolCalls: [] };
const call = { name: "weather", arguments: '{"city": "Paris", "days": 2}' };

describe("the grade of an answer", () => {
  it.each([
    [{ exact: "Hello Ada!" }, []],
    [{ exact: "hello ada!" }, ['is not "hello ada!"']],
    [{ contains: ["ada", "Hello"] }, []],
    [{ contains: ["Ada", "Bob"] }, ['lacks "Bob"']],
    [{ contains: ["Ad"] }, []],
    [{ words: ["hello", "ada"] }, []],
    [{ words: ["Ad", "Ada"] }, ['lacks "Ad"']],
    [{ without: ["ad", "bob"] }, []],
    [{ without: ["ada"] }, ['says "ada"']],
    [{ anyOf: ["bye", "hello"] }, []],
    [{ anyOf: ["bye", "hell"] }, ['has none of ["bye","hell"]']],
    [{ thinks: false, ends: true }, []],
    [{ thinks: true, ends: false }, ["does not think", "ends its turn"]],
    [{ toolCalls: [{ name: "weather" }] }, ['does not call {"name":"weather"}']],
  ])("%j", (expected, lacks) => {
    expect(shortcomings(answer, expected)).toEqual(lacks);
  });

  it("requires a thought and a finished turn", () => {
    const cut = { ...answer, reasoning: "Hm.", finishReason: "length" };
    expect(shortcomings(cut, { thinks: true })).toEqual([]);
    expect(shortcomings(cut, { thinks: false, ends: true })).toEqual([
      "thinks",
      "does not end its turn (length)",
    ]);
  });

  it("ignores quotes around the whole answer", () => {
    expect(shortcomings({ ...answer, content: '"red cup"' }, { exact: "red cup" })).toEqual([]);
    expect(shortcomings({ ...answer, content: '"red" cup' }, { exact: "red cup" })).toHaveLength(1);
  });

  it("requires a non-empty answer", () => {
    expect(shortcomings({ ...answer, content: " " }, {})).toEqual(["says nothing"]);
  });

  it.each([
    ["12 + 30 = 42.", []],
    ["42", []],
    ["420", ["lacks the number 42", "says the number 420"]],
    ["12 + 30 = 42, and 7.", ["says the number 7"]],
    ["It is a lot.", ["lacks the number 42"]],
  ])("finds the number among those of the question: %s", (content, lacks) => {
    expect(shortcomings({ ...answer, content }, { number: 42 }, "How much is 12 + 30?")).toEqual(lacks);
  });

  it("accepts a small number in words", () => {
    expect(shortcomings({ ...answer, content: "There are four." }, { number: 4 })).toEqual([]);
    expect(shortcomings({ ...answer, content: "There are four or five." }, { number: 4 })).toEqual([
      "says the number 5",
    ]);
  });

  it("requires a comparison to begin with the right number", () => {
    const larger = { ...answer, content: "58 is larger than 41." };
    expect(shortcomings(larger, { firstNumber: 58 }, "58 or 41?")).toEqual([]);
    expect(shortcomings(larger, { firstNumber: 41 }, "58 or 41?")).toEqual([
      "does not begin with the number 41",
    ]);
  });

  it("compares JSON as values", () => {
    const json = { name: "Ada", tags: ["a", "b"], place: { floor: 2 } };
    const told = { ...answer, content: '{"tags":["a","b"], "place":{"floor":2}, "name":"Ada"}' };
    expect(shortcomings(told, { json })).toEqual([]);
    expect(shortcomings(told, { json: { ...json, tags: ["b", "a"] } })).toHaveLength(1);
    expect(shortcomings({ ...told, content: "Ada" }, { json })).toEqual([`is not ${JSON.stringify(json)}`]);
  });
});

describe("the grade of tool calls", () => {
  const called = { ...answer, toolCalls: [call], finishReason: "tool_calls" };
  const other = { name: "timer", arguments: '{"minutes":5}' };

  it("compares the arguments as values", () => {
    const asked = (given: Record<string, unknown>) => ({
      toolCalls: [{ name: "weather", arguments: given }],
    });
    expect(shortcomings(called, { toolCalls: [{ name: "weather" }], ends: true })).toEqual([]);
    expect(shortcomings(called, asked({ days: 2, city: "Paris" }))).toEqual([]);
    expect(shortcomings(called, asked({ city: "Rome" }))).toEqual([
      'does not call {"name":"weather","arguments":{"city":"Rome"}}',
      'calls weather with {"city": "Paris", "days": 2}',
    ]);
    const broken = { ...called, toolCalls: [{ ...call, arguments: "{" }] };
    expect(shortcomings(broken, asked({}))).toHaveLength(2);
  });

  it("accepts several calls in any order, each as often as expected", () => {
    const two = { ...called, toolCalls: [other, call] };
    const wanted = { toolCalls: [{ name: "weather" }, { name: "timer", arguments: { minutes: 5 } }] };
    expect(shortcomings(two, wanted)).toEqual([]);
    expect(
      shortcomings({ ...called, toolCalls: [call, call] }, { toolCalls: [{ name: "weather" }] }),
    ).toEqual(['calls weather with {"city": "Paris", "days": 2}']);
    expect(shortcomings(called, wanted)).toEqual([
      'does not call {"name":"timer","arguments":{"minutes":5}}',
    ]);
  });

  it("rejects calls if none is expected", () => {
    expect(shortcomings(called, { contains: ["Ada"] })).toEqual([
      'calls weather with {"city": "Paris", "days": 2}',
    ]);
  });
});

describe("the table of scores", () => {
  const outcome = (skill: string, state: Outcome["state"], tokens = 0): Outcome => ({
    item: {
      skill,
      messages: [{ role: "user", content: "Hi" }],
      reasoning: false,
      expect: { exact: "Hello" },
    },
    state,
    lacks: state === "failed" ? ['is not "Hello"'] : [],
    answer: state === "not-served" ? null : answer,
    tokens,
    seconds: tokens === 0 ? 0 : 0.5,
  });
  const outcomes = [
    outcome("greet", "passed", 10),
    outcome("greet", "passed", 10),
    outcome("greet", "failed", 10),
    outcome("tools", "not-served"),
  ];

  it("counts unsupported items separately from failed ones", () => {
    expect(scoreSkills(outcomes)).toEqual([
      {
        ...{ skill: "greet", items: 3, notServed: 0, passed: 2, percent: 66.7 },
        ...{ bar: 99, holds: false, tokensPerSecond: 20 },
      },
      {
        ...{ skill: "tools", items: 1, notServed: 1, passed: 0, percent: null },
        ...{ bar: 93, holds: null, tokensPerSecond: 0 },
      },
    ]);
  });

  it("ends with the total", () => {
    expect(renderTable(scoreSkills(outcomes), score("total", outcomes)).split("\n")).toEqual([
      "skill  items  not served  passed  percent  bar  holds  tok/s",
      "------------------------------------------------------------",
      "greet      3           0       2     66.7   99     NO     20",
      "tools      1           1       0        -   93      -      -",
      "------------------------------------------------------------",
      "total      4           1       2     66.7    -      -     20",
    ]);
  });

  it("decides a bar by the exact score, not by the rounded one", () => {
    const passed = Array.from({ length: 9496 }, () => outcome("recall", "passed"));
    const failed = Array.from({ length: 504 }, () => outcome("recall", "failed"));
    expect(score("recall", [...passed, ...failed])).toMatchObject({ percent: 95, holds: false });
    expect(score("recall", [...passed, ...failed.slice(100)])).toMatchObject({ bar: 95, holds: true });
  });

  it("renders speeds in a second table", () => {
    const speed = { what: "ms a caption", value: 17.5, bar: 50, holds: true };
    expect(renderSpeeds([speed]).split("\n")).toEqual([
      "speed         measured  bar  holds",
      "----------------------------------",
      "ms a caption      17.5   50    yes",
    ]);
  });

  it("shows the question, the answer and what is missing", () => {
    expect(renderFailures(outcomes)).toBe('[greet] "Hi"\n  answer: " Hello Ada! "\n  is not "Hello"');
  });
});

describe("the file of items", () => {
  const folder = useFolder();
  const line = {
    skill: "greet",
    messages: [{ role: "user", content: "Hi" }],
    reasoning: false,
    expect: { contains: "Hello" },
  };

  it("is read line by line, without empty lines", async () => {
    const path = await folder.write("items.jsonl", `${JSON.stringify(line)}\n\n${JSON.stringify(line)}\n`);
    expect(await readItems(path)).toEqual([0, 1].map(() => ({ ...line, expect: { contains: ["Hello"] } })));
  });

  it("is rejected with the line and the field if it is invalid", async () => {
    const bad = await folder.write(
      "bad.jsonl",
      `${JSON.stringify(line)}\n${JSON.stringify({ ...line, skill: 1 })}`,
    );
    await expect(readItems(bad)).rejects.toThrow("line 2: skill: ");
    const broken = await folder.write("broken.jsonl", "{");
    await expect(readItems(broken)).rejects.toThrow("line 1: ");
    const unknown = await folder.write("unknown.jsonl", JSON.stringify({ ...line, expect: { equals: "x" } }));
    await expect(readItems(unknown)).rejects.toThrow("line 1: expect: ");
  });
});
