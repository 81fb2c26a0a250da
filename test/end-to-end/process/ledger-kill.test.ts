import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../../../src/engine/scripted.js";
import { openLedger } from "../../ledger.js";
import { startApp, temporaryFolder } from "../../harness.js";
import { killedAfter } from "./killed-child.js";
import { casesOf } from "../../random-cases.js";

const kills = casesOf(16);
const program = fileURLToPath(new URL("./scripted-child.ts", import.meta.url));

it(
  "F12: killed with -9 at any moment between reserve and settle, the ledger balances and nothing stays reserved",
  { timeout: kills * 20_000 },
  async () => {
    const data = join(temporaryFolder(), "data");
    await startThenStop(data);
    const books = await openLedger(data, "prepaid");
    await books.buy(Number.MAX_SAFE_INTEGER);
    let held = 0;
    for (let round = 0; round < kills; round++) {
      // A different one of the first hundred events in each round.
      const lines = await killedAfter(2 + ((round * 37) % 97), program, { HEARTH_DATA: data });
      expect(lines[0]).toBe("listening");
      expect(await books.ledger.verify()).toEqual([]);
      if ((await books.balances()).reserved > 0n) held += 1;
    }
    // Otherwise no server had an active run when it was killed.
    expect(held).toBeGreaterThan(0);
    await startThenStop(data);
    expect((await books.balances()).reserved).toBe(0n);
    expect(await books.ledger.verify()).toEqual([]);
    const runs = await books.runs.list(10_000);
    expect(runs.filter(({ state }) => state === "interrupted").length).toBeGreaterThanOrEqual(held);
    expect(runs.filter(({ state }) => state === "running")).toEqual([]);
  },
);

/** Starts and stops a server, which recovers what the killed one left. */
async function startThenStop(data: string): Promise<void> {
  const { app } = await startApp({ HEARTH_DATA: data }, { engine: createScriptedEngine(() => []) });
  await app.close();
}
