import { describe, expect, it } from "vitest";
import { PrefillBudget } from "../../../src/engine/llama/decode/prefill-budget.js";

const limits = { chunkTokensMax: 128, idleChunkTokensMax: 512, tokenGapMsMax: 50 };

/** Returns the budget after ticks of 100 prompt tokens. @param msPerToken time of each token */
function budgetAt(msPerToken: number): PrefillBudget {
  const budget = new PrefillBudget(limits);
  for (let tick = 0; tick < 3; tick += 1) budget.recordTick(100, 100 * msPerToken);
  return budget;
}

describe("the prompt tokens of a tick", () => {
  it("are a large chunk while nobody waits, as far as it takes 200 ms at most", () => {
    expect(budgetAt(0.1).tokensForTick(0)).toBe(512);
    expect(budgetAt(1).tokensForTick(0)).toBe(200);
    expect(budgetAt(20).tokensForTick(0)).toBe(128);
  });

  it("are fewer beside answers, as far as their next token does not wait too long", () => {
    expect(budgetAt(0.1).tokensForTick(1)).toBe(128);
    expect(budgetAt(1).tokensForTick(1)).toBe(50);
    expect(budgetAt(20).tokensForTick(1)).toBe(16);
  });

  it("do not depend on time before it is measured, and where answers must repeat", () => {
    expect(new PrefillBudget(limits).tokensForTick(1)).toBe(128);
    expect(budgetAt(0.1).tokensForTick(0, true)).toBe(128);
    expect(budgetAt(20).tokensForTick(0, true)).toBe(128);
  });
});
