import { describe, expect, it } from "vitest";
import { patternOfLark } from "../../../src/dialects/client-tools/lark.js";

function allows(grammar: string, text: string): boolean | null {
  const pattern = patternOfLark(grammar);
  return pattern === null ? null : new RegExp(`^(?:${pattern})$`, "u").test(text);
}

describe("a Lark grammar without recursion", () => {
  it.each([
    ["a text with characters that patterns use", 'start: "a.b*[c]-/"', "a.b*[c]-/", "aXb*[c]-/"],
    ["alternatives over several lines", 'start: "a"\n  | "b" // or b\n  | "c"', "c", "d"],
    ["rules, terminals and groups", 'start: item ("," item)*\nitem: WORD\nWORD: /[a-z]+/', "ab,c", "ab,,c"],
    ["optional parts", 'start: ["a"] "b" "c"?', "b", "a"],
    ["numbers of repetitions", 'start: "a"~2 "b"~1..3', "aabbb", "ab"],
    ["ranges", 'start: "a".."f"', "e", "g"],
    ["texts of either case", 'start: "select"i " x"', "SeLect x", "selec x"],
    ["escapes", 'start: "\\n\\t\\u0041\\x42\\""', '\n\tAB"', "n"],
    [
      "imported terminals",
      "start: INT LF ESCAPED_STRING\n%import common.LF\n%import common (INT, ESCAPED_STRING)",
      '7\n"a"',
      "7",
    ],
    ["renamed terminals", "start: N\n%import common.INT -> N", "42", "x"],
    ["names of alternatives, priorities and marks", '?start: A -> first | "b"\nA.2: "a"', "a", "first"],
    ["comments between rules", 'start: "a" B\n// or x\n\r\n# or x | "c"\r\nB: "d"', "ad", "c"],
    ["alternatives after comments", 'start: "a"\n// or\n\n\t# or\r\n  | "b"', "b", "c"],
    ["a slash in a regular expression", "start: /a\\/b/", "a/b", "a\\/b"],
  ])("becomes a pattern: %s", (_, grammar, allowed, forbidden) => {
    expect([allows(grammar, allowed), allows(grammar, forbidden)]).toEqual([true, false]);
  });

  it("becomes a pattern before the test's timeout: 99,000 empty lines", { timeout: 5_000 }, () => {
    const grammar = `start: "a" | B${"\n".repeat(99_000)}B: "b"`;
    expect([allows(grammar, "b"), allows(grammar, "c")]).toEqual([true, false]);
  });
});

describe("a Lark grammar that no pattern expresses", () => {
  it.each([
    ["recursion", 'start: "(" start ")" | "x"'],
    ["a missing rule", "start: other"],
    ["no start", 'begin: "a"'],
    ["ignored terminals", 'start: "a" "b"\n%ignore " "'],
    ["another library", "start: A\n%import python.A"],
    ["an unknown terminal", "start: A\n%import common.A"],
    ["look-ahead", "start: /a(?=b)/"],
    ["flags", "start: /a/i"],
    ["a parenthesis that is not closed", 'start: ("a"'],
    ["text that is no grammar", "start: \u{1f600}"],
    ["deep groups", `start: ${"(".repeat(200)}"a"${")".repeat(200)}`],
    [
      "rules that multiply",
      `start: r20\nr0: "aaaaaaaaaa"\n${Array.from({ length: 20 }, (_, at) => `r${at + 1}: r${at} r${at}`).join("\n")}`,
    ],
    [
      "a long rule that is used tens of thousands of times",
      `start: ${"a ".repeat(35_000)}\na: "${"a".repeat(18_000)}"`,
    ],
    [
      "a long rule in tens of thousands of alternatives",
      `start: ${"a|".repeat(35_000)}a\na: "${"a".repeat(18_000)}"`,
    ],
    [
      "rules and groups that are deep together",
      `start: r98\nr0: "a"\n${Array.from({ length: 98 }, (_, at) => `r${at + 1}: ${"[".repeat(95)}r${at}${"]".repeat(95)}`).join("\n")}`,
    ],
    ["more characters than are read", `start: "${"a".repeat(100_001)}"`],
  ])("has none: %s", (_, grammar) => {
    expect(patternOfLark(grammar)).toBeNull();
  });
});
