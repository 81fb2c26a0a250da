import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeMaxCost, computeCost, ticksToUsd, usdToTicks } from "../../src/core/money.js";
import { noUsage } from "../../src/core/usage.js";

const ticks = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const price = fc.nat(1_000_000);

describe("money", () => {
  it("is formatted in decimals and parsed back exactly", () => {
    fc.assert(
      fc.property(ticks, (amount) => {
        expect(usdToTicks(ticksToUsd(BigInt(amount)))).toBe(amount);
      }),
    );
  });

  it.each([
    [0n, "0.00"],
    [1n, "0.0000000001"],
    [125_000_000_000n, "12.50"],
    [-15_000_000_000n, "-1.50"],
    [-1n, "-0.0000000001"],
    [10n ** 30n, "100000000000000000000.00"],
  ])("of %s ticks is formatted as %s", (amount, usd) => {
    expect(ticksToUsd(amount)).toBe(usd);
  });

  it.each(["", ".", "1.", ".5", "+1", "1_000", "0x10", "1 ", "١", "NaN", "9".repeat(400)])(
    "refuses the amount %j",
    (text) => {
      expect(() => usdToTicks(text)).toThrow(RangeError);
    },
  );

  it("has an upper bound for the cost of a run, for any share of cached prompt tokens and any length", () => {
    const usage = fc.tuple(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), fc.nat(10_000));
    fc.assert(
      fc.property(
        usage,
        fc.tuple(price, price, price, price),
        ([prompt, cached, sampled, unused], [p, c, o, i]) => {
          const prices = {
            promptTextTokenTicks: p,
            cachedPromptTextTokenTicks: c,
            completionTextTokenTicks: o,
            imageTicks: i,
          };
          const used = {
            ...{ promptTokens: prompt, cachedTokens: Math.min(cached, prompt), imageTokens: 0 },
            ...{ completionTokens: sampled >> 1, reasoningTokens: sampled - (sampled >> 1) },
            images: cached,
          };
          const bound = computeMaxCost(
            { prompt, sampled: sampled + unused, images: cached + unused },
            prices,
          );
          expect(bound).toBeGreaterThanOrEqual(computeCost(used, prices));
        },
      ),
    );
  });

  it("charges n images n times the price of one", () => {
    const text = { promptTextTokenTicks: 3, cachedPromptTextTokenTicks: 2, completionTextTokenTicks: 5 };
    fc.assert(
      fc.property(fc.nat(10), price, (images, imageTicks) => {
        expect(computeCost({ ...noUsage, images }, { ...text, imageTicks })).toBe(images * imageTicks);
      }),
    );
  });

  it("rejects amounts beyond safe integers", () => {
    const prices = {
      promptTextTokenTicks: 1e9,
      cachedPromptTextTokenTicks: 0,
      completionTextTokenTicks: 0,
    };
    expect(() => computeMaxCost({ prompt: 9_007_200, sampled: 0 }, prices)).toThrow(RangeError);
  });
});
