import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GrammarTooLarge, literal, RuleBook } from "../../src/grammar/gbnf.js";
import { engineMatcher } from "./engine-matcher.js";

describe("a rule book", () => {
  it("gives equal right sides one name", () => {
    const rules = new RuleBook({ prefix: "r" });
    expect(rules.add('"a" | "b"')).toBe(rules.add('"a" | "b"'));
  });

  it("gives a defined right side the name that was reserved for it", () => {
    const rules = new RuleBook({ prefix: "r" });
    const name = rules.reserve();
    rules.define(name, '"a"');
    expect(rules.add('"a"')).toBe(name);
    expect(rules.named(name)).toBe(name);
  });

  it("writes only what the root reaches, and does not read names in quotes and classes", () => {
    const rules = new RuleBook({ prefix: "x" });
    const unused = rules.add('"never"');
    const last = rules.add('"b"');
    const root = rules.add(`"${unused} \\" ${unused}" [${unused}\\]${unused}] ${last}`);
    expect([...rules.entries(root).keys()].sort()).toEqual([last, root].sort());
    expect(rules.text(root)).not.toContain("never");
  });

  it("writes a recursive grammar that the engine takes", async () => {
    const rules = new RuleBook({ prefix: "r" });
    const list = rules.reserve();
    rules.define(list, `"[" (${list} ("," ${list})*)? "]"`);
    const matches = await engineMatcher(rules.text(list));
    expect(["[]", "[[],[[]]]", "[", "[,]"].map(matches)).toEqual([true, true, false, false]);
  });

  it("makes a thing once in each form", () => {
    const rules = new RuleBook({ prefix: "r" });
    const thing = {};
    let made = 0;
    const make = (): string => rules.add(`"${++made}"`);
    expect(rules.once(thing, "a", make)).toBe(rules.once(thing, "a", make));
    expect(rules.once(thing, "b", make)).not.toBe(rules.once(thing, "a", make));
    expect(made).toBe(2);
  });

  it("refuses more rules than its limit, and more bytes", () => {
    const few = new RuleBook({ prefix: "r", rulesMax: 2 });
    few.add('"a"');
    few.add('"b"');
    expect(() => few.add('"c"')).toThrow(GrammarTooLarge);
    const small = new RuleBook({ prefix: "r", bytesMax: 100 });
    expect(() => small.add(literal("é".repeat(50)))).toThrow(GrammarTooLarge);
  });

  it("refuses a name that llama.cpp does not read, a second definition and a name without one", () => {
    expect(() => new RuleBook({ prefix: "R_" })).toThrow(RangeError);
    const rules = new RuleBook({ prefix: "r" });
    const name = rules.reserve();
    expect(() => rules.text(name)).toThrow(RangeError);
    rules.define(name, '"a"');
    expect(() => rules.define(name, '"b"')).toThrow(RangeError);
  });
});

describe("a literal", () => {
  it("is exactly its text to the engine, whatever characters it has", async () => {
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

  it("holds no lone surrogate", () => {
    expect(() => literal("a\ud800")).toThrow(RangeError);
  });
});
