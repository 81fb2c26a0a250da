import { describe, expect, it } from "vitest";
import { PrefillBudget } from "../../../../src/engine/llama/decode/prefill-budget.js";

const limits = { chunks: { fixed: 128, besideAnswersMax: 256, idleMax: 512 }, tokenGapMsMax: 50 };

/** Returns the budget after ticks of 100 prompt tokens. @param msPerToken time of each token */
function budgetAt(msPerToken: number): PrefillBudget {
  const budget = new PrefillBudget(limits);
  for (let tick = 0; tick < 3; tick += 1)
    budget.recordTick({ decoding: 0, promptTokens: 100, ms: 100 * msPerToken });
  return budget;
}

describe("the prompt tokens of a tick", () => {
  it("are a large chunk while nobody waits, as far as it takes 200 ms at most", () => {
    expect(budgetAt(0.1).tokensForTick(0)).toBe(512);
    expect(budgetAt(1).tokensForTick(0)).toBe(200);
    expect(budgetAt(20).tokensForTick(0)).toBe(128);
  });

  it("are fewer beside answers, as far as their next token does not wait too long", () => {
    expect(budgetAt(0.1).tokensForTick(1)).toBe(256);
    expect(budgetAt(0.5).tokensForTick(1)).toBe(100);
    expect(budgetAt(2).tokensForTick(1)).toBe(25);
    expect(budgetAt(20).tokensForTick(1)).toBe(16);
  });

  it("are a whole tile of attention where it exceeds the wait by half at most", () => {
    expect(budgetAt(0.8).tokensForTick(1)).toBe(65);
    expect(budgetAt(1.15).tokensForTick(1)).toBe(65);
    expect(budgetAt(1.2).tokensForTick(1)).toBe(41);
  });

  it("are a tile as long as it takes less time for each token than a smaller chunk, however much that takes", () => {
    const budget = budgetAt(1);
    for (let tick = 0; tick < 5; tick += 1) budget.recordTick({ decoding: 1, promptTokens: 20, ms: 100 });
    expect(budget.tokensForTick(1)).toBe(65);
  });

  it("are a tile again once a shorter context makes a token cheap", () => {
    const budget = budgetAt(2);
    for (let tick = 0; tick < 5; tick += 1) budget.recordTick({ decoding: 1, promptTokens: 20, ms: 120 });
    expect(budget.tokensForTick(1)).toBe(16);
    for (let tick = 0; tick < 5; tick += 1) budget.recordTick({ decoding: 1, promptTokens: 20, ms: 20 });
    expect(budget.tokensForTick(1)).toBe(65);
  });

  it("are never more than the setting of the chunk", () => {
    const chunks = { fixed: 32, besideAnswersMax: 32, idleMax: 32 };
    const budget = new PrefillBudget({ chunks, tokenGapMsMax: 50 });
    for (let tick = 0; tick < 3; tick += 1) budget.recordTick({ decoding: 0, promptTokens: 32, ms: 32 });
    expect(budget.tokensForTick(1)).toBe(32);
  });

  it("leave room for the next token of the answers, whose time is not the prompt's", () => {
    const budget = budgetAt(2);
    for (let tick = 0; tick < 3; tick += 1) {
      budget.recordTick({ decoding: 4, promptTokens: 0, ms: 14 });
      budget.recordTick({ decoding: 4, promptTokens: 18, ms: 50 });
    }
    expect(budget.tokensForTick(4)).toBe(18);
    expect(budget.tokensForTick(1)).toBe(25);
  });

  it("are as many as before after a tick that other work on the machine made slow", () => {
    const budget = budgetAt(0.5);
    budget.recordTick({ decoding: 1, promptTokens: 100, ms: 5000 });
    expect(budget.tokensForTick(1)).toBe(100);
  });

  it("do not depend on time before it is measured, and where answers must repeat", () => {
    expect(new PrefillBudget(limits).tokensForTick(1)).toBe(128);
    expect(budgetAt(0.1).tokensForTick(0, true)).toBe(128);
    expect(budgetAt(20).tokensForTick(0, true)).toBe(128);
  });
});
