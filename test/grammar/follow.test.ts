import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaRules } from "../../src/grammar/convert.js";
import { GrammarFollower } from "../../src/grammar/follow/follower.js";
import { GrammarStacks } from "../../src/grammar/follow/stacks.js";
import { RuleSet } from "../../src/grammar/gbnf.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";
import { casesOf } from "../kit/setup/random-cases.js";
import { allowsBeginning, parseGbnf, sampleText, type Gbnf } from "../kit/grammar/gbnf-matcher.js";
import { randomSchema } from "./schema/arbitrary.js";

interface Converted {
  readonly grammar: Gbnf;
  readonly follow: () => GrammarFollower;
}

/** Returns null for a schema that is refused. */
function convert(schema: unknown): Converted | null {
  const rules = new RuleSet({ prefix: "r" });
  try {
    const { root } = schemaRules(schema, { additionalProperties: false }, rules);
    const stacks = new GrammarStacks(root, (name) => rules.rightSide(name));
    return { grammar: parseGbnf(rules.text(root)), follow: () => new GrammarFollower(stacks) };
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

function followerOf(root: string, rules: Readonly<Record<string, string>>): GrammarFollower {
  return new GrammarFollower(new GrammarStacks(root, (name) => rules[name]));
}

const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer" },
    state: { enum: ["waiting", "walking", "done"] },
    tags: { type: "array", items: { type: "string" }, minItems: 1 },
  },
  required: ["name", "age", "state", "tags"],
};

/** Returns what is predicted after each of these texts, which follow each other. */
function predictions(schema: unknown, texts: readonly string[]): readonly string[] {
  const follower = convert(schema)?.follow();
  return texts.map((text) => {
    follower?.push(text);
    return follower?.likely(60) ?? "";
  });
}

describe("the follower of a grammar", () => {
  it("predicts keys and punctuation up to the next value", () => {
    const texts = ["", '{"', 'name": "', "Ida", '", "age": ', "3"];
    expect(predictions(person, texts)).toEqual(['{"name": "', 'name": "', "", "", "", ""]);
    expect(predictions(person, ['{"name": "Ida",', ' "age": 3,', ' "state"'])).toEqual([
      ' "age": ',
      ' "state": "',
      ': "',
    ]);
  });

  it("predicts the rest of a listed value once only one is left", () => {
    const texts = ['{"name": "", "age": 3, "state": "w', "a", "l"];
    expect(predictions(person, texts)).toEqual(["a", "", 'king", "tags": ["']);
  });

  it("predicts white space as the text had it after the same character", () => {
    const texts = ['{\n  "name":"Ida",\n  "age":3,'];
    expect(predictions(person, texts)).toEqual(['\n  "state":"']);
  });

  it("predicts nothing at the end, and nothing after a text that the grammar does not allow", () => {
    expect(predictions({ const: "ab" }, ['"ab"', "x"])).toEqual(["", ""]);
    expect(predictions(person, ["{", "]", '"name"'])).toEqual(['"name": "', "", ""]);
  });

  it("predicts at most as many characters as are requested", () => {
    const follower = followerOf("text", { text: '"a"{100}' });
    expect(follower.likely(7)).toBe("aaaaaaa");
  });

  it("reads every notation of a rule", () => {
    const rules = { text: String.raw`("x\n\x41" | [^a-z]) [ä\u00f6]? end+ .`, end: '"]" | "é"' };
    const follower = followerOf("text", rules);
    follower.push("x");
    expect(follower.likely(9)).toBe("\nA");
    follower.push("\nAö]é");
    expect(follower.likely(9)).toBe("");
  });

  it.each(["undefined-rule", '"unclosed', "(", "a)"])("predicts nothing of a grammar like %s", (text) => {
    const follower = followerOf("text", { text });
    follower.push("x");
    expect(follower.likely(9)).toBe("");
  });

  it("gives up where a grammar is too wide, and not with an error", () => {
    const names = Array.from({ length: 2000 }, (_, at) => `"a${at}"`);
    const follower = followerOf("text", { text: `(${names.join(" | ")}) "end"` });
    expect(follower.likely(9)).toBe("");
    follower.push("a17end");
    expect(follower.likely(9)).toBe("");
  });

  it("for any schema: predicts only text that the grammar allows, wherever a text of it is cut", () => {
    let checked = 0;
    fc.assert(
      fc.property(
        randomSchema,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (schema, stream) => {
          const converted = convert(schema);
          if (converted === null) return;
          const { grammar, follow } = converted;
          const text = sampleText(grammar, {
            random: () => stream.next().value as number,
            charactersMax: 60,
          });
          const follower = follow();
          let written = "";
          for (const character of ["", ...text]) {
            follower.push(character);
            written += character;
            const likely = follower.likely(20);
            for (const length of [...likely].keys())
              expect(allowsBeginning(grammar, written + [...likely].slice(0, length + 1).join(""))).toBe(
                true,
              );
            checked += likely.length;
          }
        },
      ),
      { numRuns: casesOf(400) },
    );
    expect(checked).toBeGreaterThan(casesOf(400));
  });
});
