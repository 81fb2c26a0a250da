import { describe, expect, it } from "vitest";
import type { Outcome } from "../../scripts/eval-builtin/ask.js";
import { shortcomings, type Answer } from "../../scripts/eval-builtin/grade.js";
import { readItems } from "../../scripts/eval-builtin/items.js";
import { renderFailures, renderTable, scoreOf, scoresOf } from "../../scripts/eval-builtin/table.js";
import { useFolder } from "./folder.js";

const answer: Answer = { content: " Hello Ada! ", reasoning: "", finishReason: "stop", toolCalls: [] };
const call = { name: "weather", arguments: '{"city": "Paris", "days": 2}' };

describe("the grade of an answer", () => {
  it.each([
    [{ exact: "Hello Ada!" }, []],
    [{ exact: "hello ada!" }, ['is not "hello ada!"']],
    [{ contains: ["ada", "Hello"] }, []],
    [{ contains: ["Ada", "Bob"] }, ['lacks "Bob"']],
    [{ anyOf: ["bye", "hello"] }, []],
    [{ anyOf: ["bye"] }, ['has none of ["bye"]']],
    [{ thinks: false, ends: true }, []],
    [{ thinks: true, ends: false }, ["does not think", "ends its turn"]],
    [{ toolCall: { name: "weather" } }, ['does not call {"name":"weather"}']],
  ])("%j", (expected, lacks) => {
    expect(shortcomings(answer, expected)).toEqual(lacks);
  });

  it("asks for a thought and an end", () => {
    const cut = { ...answer, reasoning: "Hm.", finishReason: "length" };
    expect(shortcomings(cut, { thinks: true })).toEqual([]);
    expect(shortcomings(cut, { thinks: false, ends: true })).toEqual([
      "thinks",
      "does not end its turn (length)",
    ]);
  });

  it("compares the arguments of a tool call as values", () => {
    const called = { ...answer, toolCalls: [call], finishReason: "tool_calls" };
    expect(shortcomings(called, { toolCall: { name: "weather" }, ends: true })).toEqual([]);
    expect(
      shortcomings(called, { toolCall: { name: "weather", arguments: { days: 2, city: "Paris" } } }),
    ).toEqual([]);
    expect(shortcomings(called, { toolCall: { name: "weather", arguments: { city: "Rome" } } })).toHaveLength(
      1,
    );
    expect(shortcomings(called, { contains: ["Ada"] })).toEqual(["calls a tool"]);
    const twice = { ...called, toolCalls: [call, call] };
    expect(shortcomings(twice, { toolCall: { name: "weather" } })).toHaveLength(1);
    const broken = { ...called, toolCalls: [{ ...call, arguments: "{" }] };
    expect(shortcomings(broken, { toolCall: { name: "weather", arguments: {} } })).toHaveLength(1);
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

  it("counts what is not served apart from what failed", () => {
    expect(scoresOf(outcomes)).toEqual([
      { skill: "greet", items: 3, notServed: 0, passed: 2, percent: 66.7, tokensPerSecond: 20 },
      { skill: "tools", items: 1, notServed: 1, passed: 0, percent: null, tokensPerSecond: 0 },
    ]);
  });

  it("ends with the total", () => {
    expect(renderTable(scoresOf(outcomes), scoreOf("total", outcomes)).split("\n")).toEqual([
      "skill  items  not served  passed  percent  tok/s",
      "------------------------------------------------",
      "greet      3           0       2     66.7     20",
      "tools      1           1       0        -      -",
      "------------------------------------------------",
      "total      4           1       2     66.7     20",
    ]);
  });

  it("shows what was asked, answered and missed", () => {
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

  it("is read line by line, empty ones left out", async () => {
    const path = await folder.write("items.jsonl", `${JSON.stringify(line)}\n\n${JSON.stringify(line)}\n`);
    expect(await readItems(path)).toEqual([0, 1].map(() => ({ ...line, expect: { contains: ["Hello"] } })));
  });

  it("that is wrong is refused with the line and the field", async () => {
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
