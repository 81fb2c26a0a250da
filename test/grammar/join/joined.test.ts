/** Alternatives that begin alike: the positions of an answer in their grammar stay few, and the grammar allows what the schema allows. */
import { expect, it, describe } from "vitest";
import { convertSchema, schemaRules } from "../../../src/grammar/convert.js";
import { GrammarStacks, type ReadyStacks } from "../../../src/grammar/follow/stacks.js";
import { RuleSet } from "../../../src/grammar/gbnf.js";
import { createValidator } from "../../../src/grammar/schema/validate.js";
import { engineMatcher } from "../engine-matcher.js";
import { matchesGrammar, parseGbnf } from "../../kit/grammar/gbnf-matcher.js";
import { textsOf } from "../../kit/grammar/texts-of.js";
import { diamonds } from "./conditional-families.js";
import { families } from "./families.js";
import { mutate, orderCount, randomFrom, randomText } from "../../kit/grammar/random-texts.js";
import { binary, recursive } from "./recursive.js";

/** Positions that an answer may have at once, at any depth. Without sharing there are over 1,000 at depth 12. */
const positionsMax = 24;
const seeds = Array.from({ length: 12 }, (_, seed) => seed);

/** The schemas that no grammar of shared rules holds exactly; the validator decides. */
const checkedFamilies = new Set(["mutual2", "any", "unique"]);

function stacksOf(schema: object, additionalProperties: boolean): GrammarStacks {
  const rules = new RuleSet({ prefix: "r" });
  const { root } = schemaRules(schema, { additionalProperties }, rules);
  return new GrammarStacks(root, (name) => rules.rightSide(name));
}

describe.each(Object.entries(families))(
  "D13: the grammar of alternatives that begin alike: %s",
  (name, schema) => {
    it.each([false, true])("keeps few positions at any depth, with open objects: %s", (open) => {
      const stacks = stacksOf(schema, open);
      for (const depth of [4, 12, 30])
        for (const seed of seeds) {
          let most = 0;
          const note = (at: ReadyStacks): void => {
            most = Math.max(most, at.length);
          };
          const text = randomText(stacks, depth, randomFrom(seed), note);
          expect(most, text).toBeLessThanOrEqual(positionsMax);
        }
    });

    it("allows exactly the valid values, or names what the validator checks", () => {
      const { grammar, exact, node } = convertSchema(schema, { additionalProperties: true });
      expect(exact).toBe(!checkedFamilies.has(name));
      const gbnf = parseGbnf(grammar);
      const validator = createValidator(node);
      const random = randomFrom(1);
      const stacks = stacksOf(schema, true);
      const values = Array.from(
        { length: 60 },
        (_, nth) => JSON.parse(randomText(stacks, 1 + (nth % 3), random)) as unknown,
      );
      let [valid, invalid] = [0, 0];
      for (let nth = 0; nth < 600; nth++) {
        const value = nth < values.length ? values[nth] : mutate(values, random);
        const isExponential = /\de[+-]/.test(JSON.stringify(value));
        if (isExponential || orderCount(value) > 100) continue;
        const isValid = validator(value) === null;
        const isAllowed = textsOf(value).some((text) => matchesGrammar(gbnf, text));
        if (isValid) valid += 1;
        else invalid += 1;
        if (isValid || exact) expect(isAllowed, JSON.stringify(value)).toBe(isValid);
      }
      expect(Math.min(valid, invalid)).toBeGreaterThan(10);
    });
  },
);

it("D13: an alternative for each of 120 operators shares the rules of the others", () => {
  const operators = Array.from({ length: 120 }, (_, nth) => `operator ${nth}`);
  const schema = recursive({ anyOf: [...operators.map(binary), { type: "integer" }] });
  let most = 0;
  randomText(stacksOf(schema, false), 30, randomFrom(7), (at) => (most = Math.max(most, at.length)));
  expect(most).toBeLessThanOrEqual(130);
});

it("D13: alternatives on 20 levels that begin alike do not multiply", () => {
  let most = 0;
  randomText(stacksOf(diamonds, false), 19, randomFrom(3), (at) => (most = Math.max(most, at.length)));
  expect(most).toBeLessThanOrEqual(positionsMax);
});

it("D13: llama.cpp matches answers of depth 14 and 40", async () => {
  const schema = families["three"];
  const { grammar } = convertSchema(schema, { additionalProperties: false });
  const matches = await engineMatcher(grammar);
  for (const depth of [14, 40]) {
    const text = (last: string): string =>
      `${'{"left":'.repeat(depth)}1${',"op":"+","right":2}'.repeat(depth - 1)},"op":"${last}","right":3}`;
    expect([matches(text("-")), matches(text("/"))]).toEqual([true, false]);
  }
});
