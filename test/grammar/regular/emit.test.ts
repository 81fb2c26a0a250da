import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuleSet } from "../../../src/grammar/gbnf.js";
import {
  type Automaton,
  complementAutomaton,
  everyString,
  lengthBetween,
  lengthBounds,
  automatonOfTexts,
} from "../../../src/grammar/regular/automaton.js";
import { emitRaw, emitString, repeat } from "../../../src/grammar/regular/emit.js";
import { patternAutomaton } from "../../../src/grammar/regular/pattern/pattern.js";
import { engineMatcher, grammarOf } from "../engine-matcher.js";

const character = fc.constantFrom(
  "a",
  "b",
  '"',
  "\\",
  "/",
  "\n",
  "\t",
  "\u0001",
  "\u001f",
  "\u007f",
  "é",
  "\u2028",
  "😀",
  "]",
  "^",
);
const text = fc.array(character, { maxLength: 5 }).map((all) => all.join(""));

function stringGrammar(automaton: Automaton, minLength = 0, maxLength: number | null = null): string {
  return grammarOf((rules) => emitString({ automaton, minLength, maxLength }, rules));
}

describe("a language as JSON strings", () => {
  it("matches exactly JSON.stringify of its texts in the engine's own matcher", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 6 }),
        fc.array(text),
        async (inside, others) => {
          const listed = await engineMatcher(stringGrammar(automatonOfTexts(inside)));
          const unlisted = await engineMatcher(stringGrammar(complementAutomaton(automatonOfTexts(inside))));
          for (const one of [...inside, ...others]) {
            expect(listed(JSON.stringify(one)), JSON.stringify(one)).toBe(inside.includes(one));
            expect(unlisted(JSON.stringify(one)), JSON.stringify(one)).toBe(!inside.includes(one));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has one way to write each character", async () => {
    const matches = await engineMatcher(stringGrammar(everyString));
    const wrong = [
      "\\/",
      "\\u0041",
      "\\u000a",
      "\\u001F",
      "\\u007f",
      "\u0001",
      "\n",
      '"',
      "\\",
      "\\x",
      "\\ud800",
      "\\u00",
    ];
    expect(wrong.filter((one) => matches(`"${one}"`))).toEqual([]);
    for (let code = 0; code < 0x100; code++) {
      expect(matches(JSON.stringify(String.fromCharCode(code))), String(code)).toBe(true);
    }
  });

  it.each([
    "^[a-z]+$",
    '^(?:a|"b")*$',
    "\\d{3}-\\d{4}",
    "^\\S(?:.*\\S)?$",
    "^[^\\\\\\n]{2,5}$",
    "\\bis\\b",
    "^\\p{Lu}",
  ])("is what the pattern says: %s", async (source) => {
    const matches = await engineMatcher(stringGrammar(patternAutomaton(source).automaton));
    const piece = fc.constantFrom("a", "is", '"b"', "555-1234", " ", "\n", "\\", "É", "x");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const value = pieces.join("");
        expect(matches(JSON.stringify(value)), value).toBe(new RegExp(source, "u").test(value));
      }),
    );
  });

  it.each([
    [0, 10],
    [3, 3],
    [0, 499],
    [7, 507],
    [2, 1_501],
    [1_000, null],
    [1_999, 2_501],
    [2_500, 2_500],
  ])("keeps its length between %s and %s, counted in code points", async (min, max) => {
    const matches = await engineMatcher(stringGrammar(everyString, min, max));
    const lengths = [
      min - 1,
      min,
      min + 1,
      (max ?? 3_000) - 1,
      max ?? 3_000,
      (max ?? 3_000) + 1,
      498,
      499,
      500,
      501,
      999,
      1_000,
    ];
    for (const length of lengths.filter((one) => one >= 0)) {
      const value = Array.from({ length }, (_, i) => (i % 3 === 0 ? "😀" : i % 3 === 1 ? '"' : "a")).join("");
      expect(matches(JSON.stringify(value)), String(length)).toBe(
        length >= min && (max === null || length <= max),
      );
    }
  });

  it("enforces lengths and pattern together", async () => {
    const word = patternAutomaton("^[a-z]*$").automaton;
    const short = await engineMatcher(stringGrammar(word, 2, 3_000));
    expect(
      ["a", "ab", "a".repeat(3_000), "a".repeat(3_001), "aB"].map((one) => short(JSON.stringify(one))),
    ).toEqual([false, true, true, false, false]);
    const date = await engineMatcher(stringGrammar(patternAutomaton("^\\d+(-\\d+)?$").automaton, 3, 5));
    expect(["12", "123", "1-2", "12-34", "123-45", "12345-"].map((one) => date(JSON.stringify(one)))).toEqual(
      [false, true, true, true, false, false],
    );
  });

  it("D3: counts a length of a billion in few rules that the engine accepts", async () => {
    const grammar = stringGrammar(everyString, 0, 1_000_000_000);
    expect(grammar.length).toBeLessThan(100_000);
    const matches = await engineMatcher(grammar);
    expect(matches(JSON.stringify("a".repeat(2_000)))).toBe(true);
  });

  it("never begins two alternatives with the same character, and is emitted once however often it is used", () => {
    const rules = new RuleSet({ prefix: "r" });
    const language = {
      automaton: automatonOfTexts(["alpha", "alps", "beta", "best"]),
      minLength: 0,
      maxLength: null,
    };
    const name = emitString(language, rules);
    expect(emitString(language, rules)).toBe(name);
    const starts = [...rules.entries().values()].map((side) =>
      side.split(" | ").map((one) => one.slice(0, 2)),
    );
    for (const alternatives of starts) expect(new Set(alternatives).size).toBe(alternatives.length);
  });

  it("encodes 10,000 values in a grammar of about their size", async () => {
    const values = Array.from({ length: 10_000 }, (_, i) => `${(i * 7_919) % 100_003}-value-${i}`);
    const grammar = stringGrammar(automatonOfTexts(values));
    expect(grammar.length).toBeLessThan(400_000);
    const matches = await engineMatcher(grammar);
    expect(
      [values[0], values[5_000], values[9_999], "1-value-9"].map((one) => matches(JSON.stringify(one))),
    ).toEqual([true, true, true, false]);
  });
});

describe("a language as raw text", () => {
  it("matches exactly its texts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 6 }),
        fc.array(text),
        async (inside, others) => {
          const matches = await engineMatcher(grammarOf((rules) => emitRaw(automatonOfTexts(inside), rules)));
          for (const one of [...inside, ...others])
            expect(matches(one), JSON.stringify(one)).toBe(inside.includes(one));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("matches every text of a given length", async () => {
    const matches = await engineMatcher(grammarOf((rules) => emitRaw(lengthBetween(2, 3), rules)));
    expect(["a", "\n\0".slice(0, 1), "é😀", '"\\"', "abcd"].map(matches)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("a repetition", () => {
  it.each([
    [0, 0],
    [0, 1],
    [1, 1],
    [0, null],
    [3, null],
    [2, 5],
    [0, 2_000],
    [1_500, 2_100],
    [600, null],
    [0, 250_000],
  ])("has %s to %s copies", async (min, max) => {
    const matches = await engineMatcher(
      grammarOf((rules) => repeat(rules.add('"ab" | "c"'), min, max, rules)),
    );
    const counts = [0, 1, 2, 3, 4, 5, 6, 499, 500, 501, min - 1, min, max ?? 700, (max ?? 700) + 1];
    for (const count of counts.filter((one) => one >= 0 && one < 3_000)) {
      const given = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? "ab" : "c")).join("");
      expect(matches(given), String(count)).toBe(count >= min && (max === null || count <= max));
    }
  });

  it("has the length bounds of the pattern that it comes from", () => {
    expect(lengthBounds(patternAutomaton("^(ab){2,4}$").automaton)).toEqual({ min: 4, max: 8 });
  });
});
