import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, type Automaton } from "../../../src/grammar/regular/automaton.js";
import { numberAutomaton, type NumberRange } from "../../../src/grammar/regular/number/number.js";
import { sampleTexts } from "./sample-texts.js";

const end = fc.oneof(
  fc.integer({ min: -120, max: 120 }),
  fc.integer({ min: -120_000, max: 120_000 }).map((units) => units / 1_000),
  fc.constantFrom(0, -0, 0.1, 1e-7, 1e15, 1e16, 2 ** 53, 1e21, -1e21, 5e-324, 0.1 + 0.2, 1.5e300),
);
const optional = fc.option(end, { nil: undefined });
/** A range with bounds that doubles keep. */
interface PlainRange extends NumberRange {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}
const range: fc.Arbitrary<PlainRange> = fc.record({
  minimum: optional,
  maximum: optional,
  exclusiveMinimum: optional,
  exclusiveMaximum: optional,
  integer: fc.boolean(),
});

function isIn(
  value: number,
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, integer }: PlainRange,
): boolean {
  return (
    Number.isFinite(value) &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
    (!integer || Number.isInteger(value))
  );
}

/** Returns whether a decimal is a multiple, computed in integers of the smallest unit of both. */
function isMultiple(text: string, divisor: number): boolean {
  const scale = 10n ** 20n;
  const units = (decimal: string): bigint => {
    const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
    return BigInt(whole) * scale + BigInt(fraction.padEnd(20, "0"));
  };
  return units(text) % units(divisor.toFixed(12)) === 0n;
}

function language(given: NumberRange): Automaton | null {
  const { automaton, exact } = numberAutomaton(given);
  expect(exact).toBe(true);
  return automaton;
}

describe("the texts of a range of numbers", () => {
  it("are JSON numbers in the range", () => {
    fc.assert(
      fc.property(
        range,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999999, noNaN: true })),
        (given, chances) => {
          const automaton = language(given);
          if (automaton === null) return;
          const random = (): number => Number(chances.next().value);
          for (const text of sampleTexts(automaton, random, 10)) {
            expect(isIn(JSON.parse(text) as number, given), `${text} in ${JSON.stringify(given)}`).toBe(true);
            expect(text).not.toMatch(/^-0(\.0*)?$/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("contain every short decimal in the range and none outside", () => {
    const value = fc.oneof(
      end.filter((one) => Math.abs(one) < 1e16 && Math.abs(one) >= 1e-6 && one !== 0.1 + 0.2),
      fc
        .tuple(fc.integer({ min: -1_300_000, max: 1_300_000 }), fc.constantFrom(1, 10, 1_000, 10_000))
        .map(([a, b]) => a / b),
    );
    fc.assert(
      fc.property(range, value, (given, one) => {
        const automaton = language(given);
        const text = JSON.stringify(one);
        expect(automaton !== null && accepts(automaton, text), `${text} in ${JSON.stringify(given)}`).toBe(
          isIn(one, given),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [{ integer: true }, ["0", "-1", "9007199254740991"], ["-0", "01", "1.0", "1e5", "", "-", "+1", "1e-1"]],
    [
      { integer: false },
      ["0", "1.5", "-0.5", "1e5", "1E-07", "-2.5e+300"],
      ["-0", "-0.0", "1e999", "1e308", "01", ".5", "1.", "NaN"],
    ],
    [{ integer: true, minimum: 0.5, maximum: 2.5 }, ["1", "2"], ["0", "3", "1.5"]],
    [
      { integer: false, minimum: 0, maximum: 1 },
      ["0", "1", "0.5", "1.0", "0.0"],
      ["1.01", "-0.1", "1e0", "2"],
    ],
    [
      { integer: false, exclusiveMinimum: 0, exclusiveMaximum: 100 },
      ["0.1", "99.9"],
      ["0", "0.0", "100", "99.999999999999999"],
    ],
    [{ integer: true, exclusiveMaximum: 9007199254740992 }, ["9007199254740991"], ["9007199254740992"]],
  ] as const)("of %j have and lack", (given, yes, no) => {
    const automaton = language(given);
    expect(automaton === null ? yes : yes.filter((one) => !accepts(automaton, one))).toEqual([]);
    expect(automaton === null ? [] : no.filter((one) => accepts(automaton, one))).toEqual([]);
  });

  it("are null for a range without numbers", () => {
    expect(numberAutomaton({ integer: true, minimum: 5, maximum: 4 })).toEqual({
      automaton: null,
      exact: true,
    });
    expect(language({ integer: true, exclusiveMinimum: 1, exclusiveMaximum: 2 })).toBeNull();
    expect(language({ integer: true, minimum: 5, maximum: 6, multipleOf: [7] })).toBeNull();
    expect(language({ integer: false, minimum: 1, exclusiveMaximum: 1 })).toBeNull();
  });
});

describe("multiples", () => {
  it.each([
    [[0.01]],
    [[2.5]],
    [[7]],
    [[1_000]],
    [[0.25, 0.1]],
    [[4, 6]],
    [[60]],
    [[1e-8]],
    [[1_024]],
    [[86_400]],
    [[999_983, 2]],
  ])("of %j are exactly the multiples among the decimals in the range", (multipleOf) => {
    const given = { integer: false, minimum: -50, maximum: 4_000, multipleOf };
    const automaton = language(given);
    fc.assert(
      fc.property(
        fc.integer({ min: -60_000, max: 4_100_000 }),
        fc.constantFrom(1, 10, 100, 1_000),
        (units, by) => {
          const value = units / by;
          const text = JSON.stringify(value);
          const expected = isIn(value, given) && multipleOf.every((divisor) => isMultiple(text, divisor));
          expect(automaton !== null && accepts(automaton, text) && text !== "-0", text).toBe(expected);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are integers only if the range is of integers", () => {
    const automaton = language({ integer: true, multipleOf: [0.5] });
    expect(automaton !== null && ["1", "-12", "0"].every((one) => accepts(automaton, one))).toBe(true);
    expect(automaton !== null && accepts(automaton, "1.5")).toBe(false);
  });

  it("of a divisor with too many remainders are those nearest to zero, and never other numbers", () => {
    for (const [range, yes, no] of [
      [{ minimum: 0 }, ["0", "2000006", "1000003000"], ["-1000003", "1000004", "2000007"]],
      [{}, ["-3000009", "1000003"], ["1000001"]],
      [{ exclusiveMinimum: 1_000_003, maximum: 1e12 }, ["2000006"], ["1000003", "0"]],
      [{ maximum: -5 }, ["-1000003", "-2000006"], ["0", "1000003"]],
    ] as const) {
      const { automaton, exact } = numberAutomaton({ ...range, integer: true, multipleOf: [1_000_003] });
      const accepted = (text: string): boolean => automaton !== null && accepts(automaton, text);
      expect([exact, yes.filter(accepted), no.filter(accepted)]).toEqual([true, yes, []]);
    }
  });

  it("that a range has few of are all generated, whatever the divisor", () => {
    const automaton = language({ integer: true, minimum: 0, maximum: 864_000, multipleOf: [86_400] });
    const all = Array.from({ length: 11 }, (_, factor) => String(factor * 86_400));
    expect(automaton !== null && all.every((text) => accepts(automaton, text))).toBe(true);
  });

  it("are not reported as empty because they need more digits", () => {
    const { automaton } = numberAutomaton({ integer: true, minimum: 1e17, multipleOf: [7] });
    expect(automaton !== null && accepts(automaton, "700000000000000000")).toBe(true);
  });
});
