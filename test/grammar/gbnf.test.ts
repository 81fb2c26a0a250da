import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GrammarTooLarge, literal, RuleSet } from "../../src/grammar/gbnf.js";
import { engineMatcher } from "./engine-matcher.js";

describe("a rule set", () => {
  it("gives equal right-hand sides one name", () => {
    const rules = new RuleSet({ prefix: "r" });
    expect(rules.add('"a" | "b"')).toBe(rules.add('"a" | "b"'));
  });

  it("finds a reserved rule by its right-hand side once it is defined", () => {
    const rules = new RuleSet({ prefix: "r" });
    const name = rules.reserve();
    rules.define(name, '"a"');
    expect(rules.add('"a"')).toBe(name);
    expect(rules.toName(name)).toBe(name);
  });

  it("writes only the rules reachable from the root, and ignores names in quotes and character classes", () => {
    const rules = new RuleSet({ prefix: "x" });
    const unused = rules.add('"never"');
    const last = rules.add('"b"');
    const root = rules.add(`"${unused} \\" ${unused}" [${unused}\\]${unused}] ${last}`);
    expect([...rules.entries(root).keys()].sort()).toEqual([last, root].sort());
    expect(rules.text(root)).not.toContain("never");
  });

  it("writes a recursive grammar that the engine accepts", async () => {
    const rules = new RuleSet({ prefix: "r" });
    const list = rules.reserve();
    rules.define(list, `"[" (${list} ("," ${list})*)? "]"`);
    const matches = await engineMatcher(rules.text(list));
    expect(["[]", "[[],[[]]]", "[", "[,]"].map(matches)).toEqual([true, true, false, false]);
  });

  it("memoizes a rule per object and form", () => {
    const rules = new RuleSet({ prefix: "r" });
    const thing = {};
    let made = 0;
    const make = (): string => rules.add(`"${++made}"`);
    expect(rules.memoized(thing, "a", make)).toBe(rules.memoized(thing, "a", make));
    expect(rules.memoized(thing, "b", make)).not.toBe(rules.memoized(thing, "a", make));
    expect(made).toBe(2);
  });

  it("throws GrammarTooLarge over its limit of rules and over its limit of bytes", () => {
    const few = new RuleSet({ prefix: "r", rulesMax: 2 });
    few.add('"a"');
    few.add('"b"');
    expect(() => few.add('"c"')).toThrow(GrammarTooLarge);
    const small = new RuleSet({ prefix: "r", bytesMax: 100 });
    expect(() => small.add(literal("é".repeat(50)))).toThrow(GrammarTooLarge);
  });

  it("throws a RangeError for a prefix that llama.cpp cannot parse, a second definition and an undefined name", () => {
    expect(() => new RuleSet({ prefix: "R_" })).toThrow(RangeError);
    const rules = new RuleSet({ prefix: "r" });
    const name = rules.reserve();
    expect(() => rules.text(name)).toThrow(RangeError);
    rules.define(name, '"a"');
    expect(() => rules.define(name, '"b"')).toThrow(RangeError);
  });
});

describe("a literal", () => {
  it("matches exactly its text in the engine, for any characters", async () => {
    const character = fc.oneof(
      fc.constantFrom('"', "\\", "\n", "\t", "]", "\u007f", "\u0001"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const text = fc
      .array(character, { minLength: 1, maxLength: 8 })
      .map((all) => all.join("").replaceAll("\0", ""));
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const matches = await engineMatcher(`root ::= ${literal(given)} "."`);
        expect(matches(`${given}.`)).toBe(true);
        expect(matches(`${given}x.`)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it("must not contain a lone surrogate", () => {
    expect(() => literal("a\ud800")).toThrow(RangeError);
  });
});
