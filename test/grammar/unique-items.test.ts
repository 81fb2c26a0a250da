/** Texts that are written under the grammar of a schema, token after token, as an engine samples them: without the tokens that repeat an item. */
import { createRequire } from "node:module";
import type AjvConstructor from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatingItemTokens } from "../../src/engine/language/answer/suppressed-tokens.js";
import { createTokenBytes, tokenTypes } from "../../src/engine/language/prompt/token-bytes.js";
import { convertSchema, schemaRules, type Conversion } from "../../src/grammar/convert.js";
import { GrammarFollower } from "../../src/grammar/follow/follower.js";
import { GrammarStacks, type ReadyStacks } from "../../src/grammar/follow/stacks.js";
import { RuleSet } from "../../src/grammar/gbnf.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";
import { createValidator } from "../../src/grammar/schema/validate.js";
import { casesOf } from "../kit/setup/random-cases.js";
import { matchesGrammar } from "../kit/grammar/gbnf-matcher.js";
import { randomSchema } from "./schema/arbitrary.js";

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as {
  Ajv2020: typeof AjvConstructor.Ajv2020;
};
const ajv = new Ajv2020({ strict: false });

const tokens = [
  ...'[]{},:"0123456789.-abcdefghijklmnopqrstuvwxyz \n',
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ+!#$%&'()*/;<=>?@\\^_`|~\täü😀",
  '","',
  '"a"',
  '{"',
  '"}',
  '"},{"',
  "}, {",
  '":',
  '":"',
  '": "a"',
  "true",
  "false",
  "null",
  ", ",
  ",\n",
  "x1",
  "item-",
];
const tokenBytes = createTokenBytes(
  {
    tokenizer: "llama",
    tokens,
    types: tokens.map(() => tokenTypes.normal),
    readableControlTokens: new Set(),
  },
  () => "",
);
const tokensMax = 400;

/** Writes a text. @param prefer chooses among the tokens that are allowed. Returns null where it becomes too long */
function write(
  schema: object,
  prefer: (allowed: readonly string[]) => string,
): { readonly text: string; readonly suppressed: number } | null {
  const rules = new RuleSet({ prefix: "r" });
  const { root } = schemaRules(schema, { additionalProperties: false }, rules);
  const grammar = new GrammarStacks(root, (name) => rules.rightSide(name));
  const follower = new GrammarFollower(grammar);
  const after = (stacks: ReadyStacks, text: string): ReadyStacks =>
    [...text].reduce((before, character) => grammar.after(before, character.codePointAt(0) ?? 0), stacks);
  let [stacks, text, suppressed] = [grammar.atStart(), "", 0];
  for (let count = 0; count < tokensMax; count += 1) {
    if (stacks.includes(null)) {
      expect(matchesGrammar(rules.text(root), text)).toBe(true);
      return { text, suppressed };
    }
    const { itemRepeats } = follower;
    const allowed = tokens.filter((token) => after(stacks, token).length > 0);
    const repeating = allowed.filter((token) => itemRepeats?.isBy(token) === true);
    const suppressedTokens = repeatingItemTokens(tokenBytes, itemRepeats).map((token) => tokens[token]);
    expect(
      repeating.filter((token) => !suppressedTokens.includes(token)),
      text,
    ).toEqual([]);
    const others = allowed.filter((token) => !repeating.includes(token));
    expect(others, `${text} by ${JSON.stringify(schema)}`).not.toEqual([]);
    suppressed += repeating.length;
    const token = prefer(others);
    text += token;
    stacks = after(stacks, token);
    follower.push(token);
  }
  return null;
}

/** Returns null for a schema that is refused. */
function attempt(schema: object): Conversion | null {
  try {
    return convertSchema(schema, { additionalProperties: false });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

const object = (properties: object, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const shortText = { type: "string", maxLength: 2, pattern: "^[ab]*$" };

const items: Readonly<Record<string, object>> = {
  "objects with a text": object({ name: { type: "string", pattern: "^[ab]{1,3}$" } }),
  "objects of which the last member has few values": object({ name: shortText, on: { type: "boolean" } }),
  "objects with an optional member": object({ a: { enum: ["a", "aa"] }, b: shortText }, ["a"]),
  "objects with numbers": object({ n: { type: "number", minimum: 0, maximum: 3 } }),
  "objects in objects": object({ in: object({ id: { type: "integer", minimum: 0, maximum: 30 } }) }),
  "open objects": { type: "object", additionalProperties: { type: "boolean" }, maxProperties: 2 },
  arrays: { type: "array", items: { type: "integer", minimum: 0, maximum: 12 }, maxItems: 3 },
  "arrays of different items": {
    type: "array",
    items: { enum: ["a", "b", "ab", "ba", "aa", "bb", 1, 2, 3, 4, true] },
    maxItems: 3,
    uniqueItems: true,
  },
  "a long enum": { enum: Array.from({ length: 40 }, (_, nth) => `item-${nth}`) },
  integers: { type: "integer", minimum: 0, maximum: 15 },
  numbers: { type: "number", minimum: 0, maximum: 9 },
  "mixed items": { anyOf: [{ type: "boolean" }, shortText, { type: "integer" }, object({ a: shortText })] },
  "one of two objects": {
    anyOf: [object({ kind: { const: "a" }, n: { type: "boolean" } }), object({ kind: { const: "ab" } })],
  },
  anything: {},
};

const kinds = Object.entries(items).flatMap(([name, item]): [string, object][] => [
  [name, { type: "array", uniqueItems: true, items: item }],
  [`three to five: ${name}`, { type: "array", uniqueItems: true, items: item, minItems: 3, maxItems: 5 }],
  [
    `in an object: ${name}`,
    object({ first: { const: 1 }, all: { type: "array", uniqueItems: true, items: item, minItems: 2 } }),
  ],
]);

describe("the items of an array with uniqueItems", () => {
  it.each(kinds)("D13: differ in every text that an engine writes: %s", (name, schema) => {
    const validate = ajv.compile(schema);
    let [ended, suppressed] = [0, 0];
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(999)), (choices) => {
        // Most often the first token, so that items are likely to repeat.
        const written = write(schema, (allowed) => {
          const choice = Number(choices.next().value);
          return (choice < 700 ? allowed[0] : allowed[choice % allowed.length]) ?? "";
        });
        if (written === null) return;
        ended += 1;
        suppressed += written.suppressed;
        expect(validate(JSON.parse(written.text)), written.text).toBe(true);
      }),
      { numRuns: casesOf(64) },
    );
    expect(ended).toBeGreaterThan(0);
    const { exact } = convertSchema(schema, { additionalProperties: false });
    if (name.startsWith("three") && !name.endsWith("anything") && !exact)
      expect(suppressed).toBeGreaterThan(0);
  });

  it("D13: differ in texts of random schemas, where nothing else is left to the validator", () => {
    let compared = 0;
    fc.assert(
      fc.property(randomSchema, fc.infiniteStream(fc.nat(999)), (inner, choices) => {
        const schema = { type: "array", uniqueItems: true, minItems: 2, maxItems: 4, items: inner };
        const made = attempt(schema);
        if (made === null || made.checked.some(({ keyword }) => keyword !== "uniqueItems")) return;
        const written = write(schema, (allowed) => {
          const choice = Number(choices.next().value);
          return (choice < 700 ? allowed[0] : allowed[choice % allowed.length]) ?? "";
        });
        if (written === null) return;
        compared += 1;
        expect(createValidator(made.node)(JSON.parse(written.text)), written.text).toBe(null);
      }),
      { numRuns: casesOf(240) },
    );
    expect(compared).toBeGreaterThan(casesOf(240) / 10);
  });

  it("are compared with few tokens of a large vocabulary", () => {
    const words = Array.from(
      { length: 20_000 },
      (_, nth) => `${nth % 2 === 0 ? "\u2581" : ""}a${nth.toString(36)}`,
    );
    const large = createTokenBytes(
      {
        tokenizer: "llama",
        tokens: [...tokens, ...words],
        types: [...tokens, ...words].map(() => tokenTypes.normal),
        readableControlTokens: new Set(),
      },
      () => "",
    );
    const compared: string[] = [];
    const repeats = {
      rests: new Set(["a1b and more text of the item"]),
      characters: new Set<string>(),
      inString: true,
      isBy: (text: string) => compared.push(text) > 0,
    };
    repeatingItemTokens(large, repeats);
    expect(compared.toSorted()).toEqual(["a", "a1", "a1b"]);
  });
});
