import type { Token } from "node-llama-cpp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sampling } from "../../../../src/core/generation.js";
import type { TokenCandidate } from "../../../../src/engine/language/answer/sampled-token.js";
import { sampleToken, seededUniform } from "../../../../src/engine/llama/decode/sample.js";

const plain: Sampling = {
  temperature: 1,
  topP: 1,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  topK: null,
  minP: 0,
  logitBias: {},
};

/** Creates candidates with these weights, most likely first; a token's id is its index. */
function candidatesOf(weights: readonly number[]): readonly TokenCandidate[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return [...weights]
    .sort((a, b) => b - a)
    .map((weight, place) => ({ token: place as Token, logprob: Math.log(weight / total) }));
}

const weightLists = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });
const uniforms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const shares = fc.double({ min: 1e-6, max: 1, noNaN: true });
const probability = ({ logprob }: TokenCandidate): number => Math.exp(logprob);

describe("sampling a token", () => {
  it("takes the most likely token at temperature 0, with top_k 1, with min_p 1 and with the smallest top_p", () => {
    fc.assert(
      fc.property(weightLists, uniforms, (weights, uniform) => {
        // Tokens with the same probability as the first may be sampled with min_p 1.
        const candidates = candidatesOf([...weights, 2]);
        for (const narrow of [{ temperature: 0 }, { topK: 1 }, { minP: 1 }, { topP: 1e-6 }])
          expect(sampleToken(candidates, { ...plain, ...narrow }, () => uniform)).toBe(0);
      }),
    );
  });

  it("takes only the top_k most likely tokens", () => {
    fc.assert(
      fc.property(weightLists, fc.integer({ min: 1, max: 50 }), uniforms, (weights, topK, uniform) => {
        expect(sampleToken(candidatesOf(weights), { ...plain, topK }, () => uniform)).toBeLessThan(topK);
      }),
    );
  });

  it("takes no token less likely than min_p times the most likely one", () => {
    fc.assert(
      fc.property(weightLists, shares, uniforms, (weights, minP, uniform) => {
        const candidates = candidatesOf(weights);
        const drawn = candidates[
          sampleToken(candidates, { ...plain, minP }, () => uniform)
        ] as TokenCandidate;
        expect(probability(drawn)).toBeGreaterThanOrEqual(
          probability(candidates[0] as TokenCandidate) * minP - 1e-12,
        );
      }),
    );
  });

  it("takes no token after those that together reach top_p", () => {
    fc.assert(
      fc.property(weightLists, shares, uniforms, (weights, topP, uniform) => {
        const candidates = candidatesOf(weights);
        const drawn = sampleToken(candidates, { ...plain, topP }, () => uniform);
        const before = candidates.slice(0, drawn).reduce((sum, each) => sum + probability(each), 0);
        expect(before).toBeLessThan(topP + 1e-9);
      }),
    );
  });

  it("can take every token that the limits allow", () => {
    const candidates = candidatesOf([8, 4, 2, 1, 1]);
    const reached = (narrow: Partial<Sampling>): number[] => {
      const drawn = Array.from({ length: 1000 }, (_, at) =>
        sampleToken(candidates, { ...plain, ...narrow }, () => at / 1000),
      );
      return [...new Set<number>(drawn)];
    };
    expect(reached({})).toEqual([0, 1, 2, 3, 4]);
    expect(reached({ topK: 2 })).toEqual([0, 1]);
    expect(reached({ minP: 0.24 })).toEqual([0, 1, 2]);
    expect(reached({ topP: 0.76 })).toEqual([0, 1, 2]);
    expect(reached({ topP: 0.74 })).toEqual([0, 1]);
  });

  it.each([0.5, 1, 1.7])("follows the probabilities at temperature %f", (temperature) => {
    const weights = [0.4, 0.3, 0.15, 0.1, 0.05];
    const draws = 20_000;
    const uniform = seededUniform(20);
    const counts = weights.map(() => 0);
    for (let count = 0; count < draws; count += 1) {
      const token = sampleToken(candidatesOf(weights), { ...plain, temperature }, uniform);
      counts[token] = (counts[token] ?? 0) + 1;
    }
    const heated = weights.map((weight) => weight ** (1 / temperature));
    const total = heated.reduce((sum, weight) => sum + weight, 0);
    const chiSquare = heated
      .map((weight) => (draws * weight) / total)
      .reduce((sum, expected, token) => sum + ((counts[token] ?? 0) - expected) ** 2 / expected, 0);
    // The value of a chi-squared distribution with four degrees of freedom at p = 0.001.
    expect(chiSquare).toBeLessThan(18.47);
  });

  it("throws when there is no candidate", () => {
    expect(() => sampleToken([], plain, () => 0)).toThrow(RangeError);
  });
});

describe("seeded numbers", () => {
  it("lie in [0, 1), repeat with their seed and differ with another", () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), (seed) => {
        const take = (from: number): number[] => {
          const next = seededUniform(from);
          return Array.from({ length: 8 }, next);
        };
        const numbers = take(seed);
        for (const value of numbers) expect(value >= 0 && value < 1).toBe(true);
        expect(take(seed)).toEqual(numbers);
        expect(take(seed ^ 1)).not.toEqual(numbers);
      }),
    );
  });
});
