import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, AutomatonTooLarge } from "../../../src/grammar/regular/automaton.js";
import { patternAutomaton, PatternError } from "../../../src/grammar/regular/pattern/pattern.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const piece = fc.constantFrom("a", "b", "1", "-", " ", "\n", "é", "😀", "_", ".");
const text = fc.array(piece, { maxLength: 7 }).map((all) => all.join(""));

function agrees(source: string, given: readonly string[]): void {
  const { automaton, exact } = patternAutomaton(source);
  const expression = new RegExp(source, "u");
  expect(exact, source).toBe(true);
  for (const one of given) {
    expect(accepts(automaton, one), `${source} on ${JSON.stringify(one)}`).toBe(expression.test(one));
  }
}

/**
 * Returns whether a pattern exceeds the limit of states, as nested repetitions can; such patterns are
 * skipped.
 */
function isTooLarge(source: string): boolean {
  try {
    patternAutomaton(source);
    return false;
  } catch (error) {
    if (error instanceof AutomatonTooLarge) return true;
    throw error;
  }
}

const atom = fc.constantFrom(
  "a",
  "b",
  ".",
  "\\d",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "[a-c1]",
  "[^a\\-]",
  "\\u{1F600}",
  "\\.",
  "é",
  "\\p{L}",
  "\\b",
  "\\B",
  "^",
  "$",
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0}", "{2,}", "*?");
const { source } = fc.letrec<{ source: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(atom, quantifier)
      .map(([of, times]) => (["\\b", "\\B", "^", "$"].includes(of) ? of : of + times)),
    fc.tuple(tie("source"), quantifier).map(([of, times]) => `(?:${of})${times}`),
  ),
  source: fc.oneof(
    { maxDepth: 3 },
    fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.tuple(tie("part"), tie("part")).map(([a, b]) => `${a}|${b}`),
  ),
}));

describe("patterns", () => {
  it("match as in JavaScript with the flag u, with anchors and word boundaries anywhere", () => {
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 6, maxLength: 6 }), (given, list) => {
        fc.pre(!isTooLarge(given));
        agrees(given, ["", "a", ...list]);
      }),
      { numRuns: casesOf(400), maxSkipsPerRun: 1 },
    );
  });

  it.each([
    "^(?!foo)",
    "^(?!.*\\/)^(.*[^.]+.*)$",
    "^(?!pattern$).*$",
    "^(?!tag|category)$",
    "^(?=.{2,4}$)[a-z]+$",
    "^(?![ \\t\\n]*\\(default(.*)\\))[\\s\\S]*",
    "^(https?://|/?.?-?(?!\\w+://)\\w).+\\.ya?ml$",
    "a(?=b)|b(?!a)",
    "^a(?:(?!b)c|d(?=a))?a$",
    "(?!a)(?:b(?!b))?$",
  ])("look ahead exactly: %s", (given) => {
    const known = [
      "foo",
      "foobar",
      "/a",
      "...",
      "pattern",
      "patterns",
      "tag",
      "abcde",
      "abc",
      " (default x)",
      "x://a.yml",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c", "d", "foo", "/", ".", "tag", "pattern", ".yml", ":"), {
          maxLength: 6,
        }),
        (parts) => agrees(given, [...known, parts.join("")]),
      ),
    );
  });

  it.each([
    ["^(a|b)\\1$", "aa"],
    ["(?<=a)b", "ab"],
    ["^(?:(?!ab).)*$", "ba"],
    ["(?<!a)b", "b"],
    ["^(?!(a|b)\\1)", "ab"],
  ])("say that they read more than they should: %s", (given, matching) => {
    const { automaton, exact } = patternAutomaton(given);
    expect(exact).toBe(false);
    expect(new RegExp(given, "u").test(matching)).toBe(true);
    expect(accepts(automaton, matching)).toBe(true);
  });

  it.each(["[\\w-.]+", "\\-", "a{,2}", "\\_"])(
    "are parsed as browsers do where the flag u forbids the syntax: %s",
    (given) => {
      const { automaton } = patternAutomaton(`^${given}$`);
      const expression = new RegExp(`^${given}$`);
      for (const one of ["-", "a-b.", "a{,2}", "_", "a", ""])
        expect(accepts(automaton, one)).toBe(expression.test(one));
    },
  );

  it("support Unicode property classes, also beyond the basic multilingual plane", () => {
    const { automaton } = patternAutomaton("^\\p{Letter}\\P{L}\\p{Script=Greek}$");
    expect(["é1α", "𝒜1α", "11α", "éaα", "é1a"].map((one) => accepts(automaton, one))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("D1: hostile patterns", () => {
  it.each(["foo**", "(", "a)", "[b-a]", "\\p{Nonsense}", "[a", "(?i:a)", "(?<a>b)(?<a>c)"])(
    "throws a PatternError for a text that is not a pattern: %s",
    (given) => {
      expect(() => patternAutomaton(given)).toThrow(PatternError);
    },
  );

  it.each([
    "^((((a{1,40}){1,40}){1,40}){1,40})$",
    "^(a{1,200}){1,200}$",
    "^(a|aa|aaa){1,9999}b{5000}$",
    "a{1000000000}",
    "^[ab]*a[ab]{40}$",
    "^(?=(a|b)*a(a|b){30}).*$",
  ])("stops at what would be too large: %s", (given) => {
    expect(() => patternAutomaton(given)).toThrow(AutomatonTooLarge);
  });

  it("rejects 100,000 nested groups without a deep stack", () => {
    expect(() => patternAutomaton("(".repeat(100_000) + ")".repeat(100_000))).toThrow(PatternError);
  });

  it("accepts an empty group repeated a billion times", () => {
    expect(accepts(patternAutomaton("^(){1000000000}a(?:(){0,999999999})$").automaton, "a")).toBe(true);
  });

  it("matches in linear time a pattern that makes a backtracking engine hang", () => {
    const { automaton } = patternAutomaton("^(([a-z])+.)+[A-Z]([a-z])+$");
    expect(accepts(automaton, "a".repeat(100_000))).toBe(false);
    expect(accepts(automaton, `${"a".repeat(100_000)}.Zz`)).toBe(true);
  });
});
