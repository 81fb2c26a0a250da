import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accepts,
  AutomatonTooLarge,
  complement,
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
  texts,
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

describe("automata of lists of texts", () => {
  it("accept these texts and no other", () => {
    fc.assert(
      fc.property(list, (given) => {
        const automaton = texts(given);
        expect(everyShortText.filter((one) => accepts(automaton, one))).toEqual(
          everyShortText.filter((one) => given.includes(one)),
        );
      }),
    );
  });

  it("follow the algebra of sets, and equal sets are equal automata", () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const [inA, inB] = [texts(a), texts(b)];
        expect(equal(union(inA, inB), texts([...a, ...b]))).toBe(true);
        expect(equal(intersect(inA, inB), texts(a.filter((one) => b.includes(one))))).toBe(true);
        expect(equal(difference(inA, inB), texts(a.filter((one) => !b.includes(one))))).toBe(true);
        expect(equal(concat(inA, inB), texts(a.flatMap((one) => b.map((other) => one + other))))).toBe(true);
        expect(equal(complement(complement(inA)), inA)).toBe(true);
        expect(isEmpty(intersect(complement(inA), inA))).toBe(true);
        expect(equal(union(complement(inA), inA), everyString)).toBe(true);
      }),
    );
  });

  it("know their shortest and longest text", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (given) => {
        const lengths = given.map((one) => [...one].length);
        expect(lengthBounds(texts(given))).toEqual({ min: Math.min(...lengths), max: Math.max(...lengths) });
      }),
    );
  });

  it("share equal ends: 10,000 values in few states each, and all of them accepted", () => {
    const values = Array.from({ length: 10_000 }, (_, i) => `value-${i}-of-many`);
    const automaton = texts(values);
    expect(automaton.stateCount).toBeLessThan(100);
    expect(values.every((value) => accepts(automaton, value))).toBe(true);
    expect(
      ["value-10000-of-many", "value--of-many", "value-1-of-man"].some((one) => accepts(automaton, one)),
    ).toBe(false);
  });

  it("leave out what UTF-8 cannot write", () => {
    expect(isEmpty(texts(["a\ud800"]))).toBe(true);
    expect(accepts(everyString, "a\ud800")).toBe(false);
  });
});

describe("automata", () => {
  it("count lengths in code points", () => {
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

  it("tell finite languages from infinite ones, and the empty one from others", () => {
    expect(
      [texts(["a", "bc"]), noString, everyString, patternAutomaton("^a*b$").automaton].map(isFinite),
    ).toEqual([true, true, false, false]);
    expect([noString, texts([""]), intersect(lengthBetween(0, 1), lengthBetween(2, 3))].map(isEmpty)).toEqual(
      [true, false, true],
    );
  });

  it("are minimal: the same language by another way has the same states", () => {
    const once = patternAutomaton("^(a|b)*abb$").automaton;
    const again = patternAutomaton("^(a*b*)*(a|aa)bb$|^[ab]*abb$").automaton;
    expect(equal(once, again)).toBe(true);
    expect(once.stateCount).toBe(4);
  });

  it("stop at 2,000 states", () => {
    expect(() => lengthBetween(0, 5_000)).toThrow(AutomatonTooLarge);
    expect(() => patternAutomaton("^[ab]*a[ab]{12}$")).toThrow(AutomatonTooLarge);
  });

  it("go through a long text without a deep stack", () => {
    const long = "ab".repeat(25_000);
    expect(accepts(texts([long]), long)).toBe(true);
    expect(lengthBounds(texts([long])).max).toBe(50_000);
  });
});
