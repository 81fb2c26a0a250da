import { describe, expect, it } from "vitest";
import type { JobUpdate } from "../../../src/engine/llama/protocol.js";
import { jobOf, promptOf, residentWithEightSlots, startLoop } from "./lockstep.js";

const promptTokens = 400;

function evaluatedIn(updates: readonly JobUpdate[]): number | null {
  const cut = updates.flatMap(({ events }) => events).find(({ type }) => type === "prompt-cut");
  return cut?.type === "prompt-cut" ? cut.evaluatedTokens : null;
}

describe("a job that is cancelled", () => {
  it("M3: while its prompt is evaluated says how much of it was, and nothing after its first token", async () => {
    const resident = await residentWithEightSlots();
    const { loop, updatesOf, until, done } = startLoop();
    // Beside an answer, prompts are evaluated in small parts.
    loop.submit(resident, 9, jobOf(promptOf(7, 20), 400));
    await until(() => updatesOf(9).some(({ events }) => events.some(({ type }) => type === "text-delta")));
    loop.submit(resident, 1, jobOf(promptOf(0, promptTokens), 50));
    await until(() => updatesOf(1).length > 0);
    loop.cancel(1);
    expect((await done(1)).finished).toBe(false);
    expect(evaluatedIn(updatesOf(1)) ?? promptTokens).toBeLessThan(promptTokens);

    // What the slot holds of it is cached for the next one, which adds nothing before it is cancelled, too.
    loop.submit(resident, 2, jobOf(promptOf(0, promptTokens), 50));
    await until(() => updatesOf(2).length > 0);
    loop.cancel(2);
    const { cachedTokens } = await done(2);
    expect(evaluatedIn(updatesOf(2)) ?? promptTokens).toBeGreaterThanOrEqual(cachedTokens);

    loop.submit(resident, 3, jobOf(promptOf(5, 20), 200));
    await until(() => updatesOf(3).some(({ events }) => events.some(({ type }) => type === "text-delta")));
    loop.cancel(3);
    await done(3);
    expect(evaluatedIn(updatesOf(3))).toBeNull();
  });
});
