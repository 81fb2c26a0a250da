import { describe, expect, it } from "vitest";
import { eventsOf, familyNames, format } from "../../../kit/engine/tool-answers.js";

const openings = [
  ...new Set(familyNames.flatMap((family) => format(family).openings.map(({ pieces }) => pieces[0] ?? ""))),
];

/** The beginning of a worst-case answer, and the text that it repeats. */
const hostile: readonly (readonly [string, string])[] = [
  ...openings.map((opening) => ["", opening] as const),
  ...openings.map((opening) => [`${opening}{"name":"get_time","arguments":{"zone":"`, opening] as const),
  ['<tool_call>{"name":"rm","arguments":{"zone":"', "x<tool_call>{"],
  ['<tool_call>{"arguments":', "["],
  ["", '<tool_call>{"x":"'],
  ["<tool_call><function=get_time><parameter=zone>", "</parameter"],
  ["<tool_call><function=rm>", "<function=get_time>"],
  ["<function=", "get_time"],
  ["<function=get_time>{", '"a":"b",'],
  ["```tool_code\nadd(a=", "["],
  ["```tool_code\nadd(a='", "\\n"],
  ["<|channel|>analysis<|message|>", "<|e"],
  ["<|channel|>commentary to=functions.get_time<|message|>{", '"a":"b",'],
  ["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>x"],
  ["", "\n<"],
  ["x", " "],
];

/** Returns the CPU time to parse an answer of this length in token-sized pieces; the lower of two runs. */
function work(family: string, start: string, unit: string, length: number): number {
  const pieces = (start + unit.repeat(Math.ceil(length / unit.length))).match(/[^]{1,7}/g) ?? [];
  const times = [0, 1].map(() => {
    const began = process.cpuUsage();
    eventsOf(format(family), pieces);
    const { user, system } = process.cpuUsage(began);
    return user + system;
  });
  return Math.min(...times);
}

describe("D9: the work of reading an answer", () => {
  it.each(["hermes", "qwen-coder", "llama", "deepseek", "gemma", "harmony"])(
    "grows linearly with its length, for every hostile answer to %s",
    (family) => {
      for (const [start, unit] of hostile) {
        // Sixteen times the length: a quadratic parser would take 256 times as long, however often it is measured.
        let grew = Infinity;
        for (let attempt = 0; grew >= 100 && attempt < 4; attempt += 1) {
          const small = Math.max(work(family, start, unit, 4_000), 250);
          grew = work(family, start, unit, 64_000) / small;
        }
        expect({ start, unit, linear: grew < 100, grew }).toEqual({ start, unit, linear: true, grew });
      }
    },
  );

  it("is bounded for a megabyte at once or one character at a time", () => {
    const megabyte = '<tool_call>{"name":"get_time","arguments":{"zone":"'.padEnd(1_000_000, "x<tool_call>");
    expect(eventsOf(format("hermes"), [megabyte]).at(-1)?.type).toBe("call-broken");
    expect(eventsOf(format("hermes"), megabyte.split("")).at(-1)?.type).toBe("call-broken");
  });
});
