import { describe, expect, it } from "vitest";
import { conversionStepsMax, convertSchema } from "../../src/grammar/convert.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";

function refusalOf(schema: unknown, stepsMax: number): unknown {
  try {
    return convertSchema(schema, { additionalProperties: true, stepsMax });
  } catch (thrown) {
    return thrown;
  }
}

describe("the limit of work", () => {
  it("D12: a schema that is too costly is rejected at the same step each time, with the keyword and position that cost the most", () => {
    const properties = (from: number) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`p${from + nth}`, { type: "string" }]));
    const recipe = {
      items: { oneOf: Array.from({ length: 40 }, (_, nth) => ({ properties: properties(nth) })) },
    };
    const conditions = (depth: number): object =>
      depth === 0
        ? { properties: properties(0) }
        : { if: { required: [`k${depth}`] }, then: conditions(depth - 1), else: conditions(depth - 1) };
    const patterns = { properties: { p: { pattern: "^(?:\\S+\\s+){0,99}\\S+$" } } };
    const cases = [
      [recipe, "oneOf", "/items"],
      [conditions(5), "if", ""],
      [patterns, "pattern", "/properties/p"],
    ] as const;
    for (const [schema, keyword, pointer] of cases)
      for (const again of [1, 2]) {
        const made = refusalOf(schema, 10_000);
        expect(made, `${keyword} ${again}`).toBeInstanceOf(SchemaRefusal);
        expect(made).toMatchObject({ keyword, pointer: expect.stringContaining(pointer) as string });
      }
    const steps = [1, 2].map(() => convertSchema(recipe, { additionalProperties: true }).steps);
    expect(steps[0]).toBe(steps[1]);
    expect(steps[0]).toBeLessThan(conversionStepsMax);
  });
});
