import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accepts,
  AutomatonTooLarge,
  complementAutomaton,
  concat,
  difference,
  equal,
  everyString,
  intersect,
  isEmpty,
  isFinite,
  lengthBetween,
  lengthBounds,
  noString,
  automatonOfTexts,
  union,
} from "../../../src/grammar/regular/automaton.js";
import { patternAutomaton } from "../../../src/grammar/regular/pattern/pattern.js";

const characters = ["a", "b", "é", "\ufffd", "😀", "\n"];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 4 }).map((all) => all.join(""));
const list = fc.array(text, { maxLength: 12 });
const everyShortText = [0, 1, 2, 3].reduce<string[]>(
  (all) => [...new Set([...all, ...all.flatMap((one) => characters.map((character) => one + character))])],
  [""],
);

describe("an automaton of a list of texts", () => {
  it("accepts these texts and no other", () => {
    fc.assert(
      fc.property(list, (given) => {
        const automaton = automatonOfTexts(given);
        expect(everyShortText.filter((one) => accepts(automaton, one))).toEqual(
          everyShortText.filter((one) => given.includes(one)),
        );
      }),
    );
  });

  it("supports the operations of sets, and equal sets have equal automata", () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const [inA, inB] = [automatonOfTexts(a), automatonOfTexts(b)];
        expect(equal(union(inA, inB), automatonOfTexts([...a, ...b]))).toBe(true);
        expect(equal(intersect(inA, inB), automatonOfTexts(a.filter((one) => b.includes(one))))).toBe(true);
        expect(equal(difference(inA, inB), automatonOfTexts(a.filter((one) => !b.includes(one))))).toBe(true);
        expect(
          equal(concat(inA, inB), automatonOfTexts(a.flatMap((one) => b.map((other) => one + other)))),
        ).toBe(true);
        expect(equal(complementAutomaton(complementAutomaton(inA)), inA)).toBe(true);
        expect(isEmpty(intersect(complementAutomaton(inA), inA))).toBe(true);
        expect(equal(union(complementAutomaton(inA), inA), everyString)).toBe(true);
      }),
    );
  });

  it("has the length bounds of its shortest and longest text", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (given) => {
        const lengths = given.map((one) => [...one].length);
        expect(lengthBounds(automatonOfTexts(given))).toEqual({
          min: Math.min(...lengths),
          max: Math.max(...lengths),
        });
      }),
    );
  });

  it("shares suffixes: 10,000 values need few states each, and all are accepted", () => {
    const values = Array.from({ length: 10_000 }, (_, i) => `value-${i}-of-many`);
    const automaton = automatonOfTexts(values);
    expect(automaton.stateCount).toBeLessThan(100);
    expect(values.every((value) => accepts(automaton, value))).toBe(true);
    expect(
      ["value-10000-of-many", "value--of-many", "value-1-of-man"].some((one) => accepts(automaton, one)),
    ).toBe(false);
  });

  it("omits texts that UTF-8 cannot encode", () => {
    expect(isEmpty(automatonOfTexts(["a\ud800"]))).toBe(true);
    expect(accepts(everyString, "a\ud800")).toBe(false);
  });
});

describe("an automaton", () => {
  it("counts lengths in code points", () => {
    const automaton = lengthBetween(2, 3);
    expect(["😀", "😀😀", "abc", "a😀bc", ""].map((one) => accepts(automaton, one))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(equal(intersect(lengthBetween(2, null), lengthBetween(0, 5)), lengthBetween(2, 5))).toBe(true);
    expect(equal(difference(everyString, lengthBetween(0, 4)), lengthBetween(5, null))).toBe(true);
    expect(lengthBetween(3, 2)).toBe(noString);
    expect(lengthBounds(lengthBetween(2, 7))).toEqual({ min: 2, max: 7 });
    expect(lengthBounds(lengthBetween(2, null))).toEqual({ min: 2, max: null });
  });

  it("distinguishes finite, infinite and empty languages", () => {
    expect(
      [automatonOfTexts(["a", "bc"]), noString, everyString, patternAutomaton("^a*b$").automaton].map(
        isFinite,
      ),
    ).toEqual([true, true, false, false]);
    expect(
      [noString, automatonOfTexts([""]), intersect(lengthBetween(0, 1), lengthBetween(2, 3))].map(isEmpty),
    ).toEqual([true, false, true]);
  });

  it("is minimal: equal languages built in different ways have equal states", () => {
    const once = patternAutomaton("^(a|b)*abb$").automaton;
    const again = patternAutomaton("^(a*b*)*(a|aa)bb$|^[ab]*abb$").automaton;
    expect(equal(once, again)).toBe(true);
    expect(once.stateCount).toBe(4);
  });

  it("is limited to 2,000 states", () => {
    expect(() => lengthBetween(0, 5_000)).toThrow(AutomatonTooLarge);
    expect(() => patternAutomaton("^[ab]*a[ab]{12}$")).toThrow(AutomatonTooLarge);
  });

  it("processes a long text without a deep stack", () => {
    const long = "ab".repeat(25_000);
    expect(accepts(automatonOfTexts([long]), long)).toBe(true);
    expect(lengthBounds(automatonOfTexts([long])).max).toBe(50_000);
  });
});
