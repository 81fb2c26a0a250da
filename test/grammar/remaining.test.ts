import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaRules } from "../../src/grammar/convert.js";
import { remainingGrammar } from "../../src/grammar/follow/remaining.js";
import { GrammarStacks, type ReadyStacks } from "../../src/grammar/follow/stacks.js";
import { RuleSet } from "../../src/grammar/gbnf.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";
import { casesOf } from "../kit/setup/random-cases.js";
import { allowsBeginning, matchesGrammar, parseGbnf, sampleText } from "../kit/grammar/gbnf-matcher.js";
import { randomSchema } from "./schema/arbitrary.js";

/** Returns the grammar of a schema, and what remains of it after a text; null for a schema that is refused. */
function grammarOf(schema: unknown) {
  const rules = new RuleSet({ prefix: "r" });
  try {
    const { root } = schemaRules(schema, { additionalProperties: false }, rules);
    const stacks = new GrammarStacks(root, (name) => rules.rightSide(name));
    const after = (text: string): string => {
      let place: ReadyStacks = stacks.atStart();
      for (const character of text) place = stacks.after(place, character.codePointAt(0) ?? 0);
      return remainingGrammar(place, rules.entries(root));
    };
    return { whole: parseGbnf(rules.text(root)), after };
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

const person = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[^\\]\\-x]{2,4}$" },
    tags: { type: "array", items: { enum: ["a\n", "é"] }, maxItems: 3 },
  },
  required: ["name", "tags"],
};

describe("what remains of a grammar", () => {
  it("allows the rest of a text and nothing that the text must not go on with", () => {
    const grammar = grammarOf(person);
    const rest = parseGbnf(grammar?.after('{"name": "ab') ?? "");
    expect(allowsBeginning(rest, 'cd", "tags": ["é"]}')).toBe(true);
    expect(allowsBeginning(rest, "x")).toBe(false);
    expect(allowsBeginning(rest, "cde")).toBe(false);
  });

  it("is the end alone where the text is complete", () => {
    const rest = grammarOf({ const: true })?.after("true") ?? "";
    expect(matchesGrammar(rest, "")).toBe(true);
    expect(allowsBeginning(rest, "!")).toBe(false);
  });

  it("matches, after any beginning of any text of any schema, the rest of it, and where that goes wrong, nothing", () => {
    let checked = 0;
    fc.assert(
      fc.property(
        randomSchema,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        fc.nat(),
        (schema, stream, place) => {
          const grammar = grammarOf(schema);
          if (grammar === null) return;
          const random = (): number => stream.next().value as number;
          const text = [...sampleText(grammar.whole, { random, charactersMax: 60 })];
          const cut = place % (text.length + 1);
          const [begun, rest] = [text.slice(0, cut).join(""), text.slice(cut).join("")];
          const remaining = parseGbnf(grammar.after(begun));
          expect(matchesGrammar(remaining, rest)).toBe(true);
          for (const other of [`${rest}\u0007`, "\u0007"])
            expect(matchesGrammar(remaining, other)).toBe(matchesGrammar(grammar.whole, begun + other));
          checked += text.length;
        },
      ),
      { numRuns: casesOf(400) },
    );
    expect(checked).toBeGreaterThan(casesOf(400));
  });
});
