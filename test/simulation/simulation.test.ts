import { describe, expect, it, vi } from "vitest";
import { simulateHistory } from "../../scripts/qa/simulate/history.js";
import { Trace } from "../../scripts/qa/simulate/trace.js";
import { HistoryFailure, Totals } from "../../scripts/qa/simulate/report.js";
import { isNightly } from "../kit/sizes.js";
import { planted, plantedBugs, type PlantedBug } from "./planted-bugs.js";

// Mocks are hoisted above the imports, and so must be what they use.
const bugs = vi.hoisted(() => () => import("./planted-bugs.js"));

vi.mock(import("../../src/accounts/money/ledger.js"), async (original) =>
  (await bugs()).withBrokenLedger(await original()),
);
vi.mock(import("../../src/accounts/limits/quotas.js"), async (original) =>
  (await bugs()).withBrokenQuotas(await original()),
);
vi.mock(import("../../src/jobs/store.js"), async (original) =>
  (await bugs()).withBrokenJobs(await original()),
);
vi.mock(import("../../src/core/model.js"), async (original) =>
  (await bugs()).withBrokenPrices(await original()),
);
vi.mock(import("../../src/jobs/batches/store/lines.js"), async (original) =>
  (await bugs()).withBrokenLines(await original()),
);
vi.mock(import("../../src/scheduler/decide.js"), async (original) =>
  (await bugs()).withBrokenDecisions(await original()),
);
vi.mock(import("../../src/scheduler/policy.js"), async (original) =>
  (await bugs()).withBrokenPolicy(await original()),
);
vi.mock(import("../../src/store/commit.js"), async (original) =>
  (await bugs()).withBrokenCommit(await original()),
);
vi.mock(import("../../src/inference/run/store/interrupted-runs.js"), async (original) =>
  (await bugs()).withBrokenInterruption(await original()),
);
vi.mock(import("../../src/inference/run/settle-retries.js"), async (original) =>
  (await bugs()).withBrokenRetries(await original()),
);

/** Hours of each history that must not fail: enough for every kind of fault. The nightly run sees more of each. */
const hours = isNightly(process.env) ? 10 : 5;

/** Returns the failure of the first history that finds a bug; null when none of these does. */
async function failureOf(bug: PlantedBug, fromSeed: number, seeds = 20): Promise<HistoryFailure | null> {
  planted.bug = bug;
  try {
    for (let seed = fromSeed; seed < fromSeed + seeds; seed += 1) await simulateHistory({ seed, hours: 6 });
    return null;
  } catch (thrown) {
    if (thrown instanceof HistoryFailure) return thrown;
    throw thrown;
  } finally {
    planted.bug = null;
  }
}

describe("through kills, power cuts and faults of the disk", { timeout: 300_000 }, () => {
  it("the books balance, no job and no batch is lost, no slot is stuck, no limit is exceeded and teams share alike", async () => {
    const totals = new Totals();
    for (const seed of [101, 102, 103]) totals.add(await simulateHistory({ seed, hours }), hours);
    expect(totals.runs).toBeGreaterThan(300);
    for (const fault of ["busy", "full", "io", "kill", "power-cut"])
      expect(totals.faults.get(fault), fault).toBeGreaterThan(0);
    for (const request of [
      "chat 200",
      "stream 200",
      "choices 200",
      "deferred 200",
      "background 200",
      "chat 429",
    ])
      expect(totals.requests.get(request), request).toBeGreaterThan(0);
    for (const end of ["completed", "expired"]) expect(totals.batches.get(end), end).toBeGreaterThan(0);
  });

  it("equal histories have equal traces, whatever their folders are called", () => {
    const hashes = ["/tmp/a", "/tmp/b"].map((folder) => {
      const trace = new Trace(() => 1, folder);
      trace.add(`not started: cannot use the database ${folder}/hearth.db: the disk is full`);
      return trace.hash;
    });
    expect(hashes[1]).toBe(hashes[0]);
  });

  it("equal seeds make equal histories, and others make others", async () => {
    const traces = [];
    for (const seed of [7, 7, 8]) traces.push((await simulateHistory({ seed, hours: 2 })).traceHash);
    expect(traces[1]).toBe(traces[0]);
    expect(traces[2]).not.toBe(traces[0]);
  });
});

describe("the simulation", { timeout: 300_000 }, () => {
  it.each(Object.entries(plantedBugs))("finds that %s", async (bug, { guarantee, seed }) => {
    const failure = await failureOf(bug as PlantedBug, seed);
    expect(failure?.message).toMatch(guarantee);
  });

  it("repeats a failure from its seed, to the last step", async () => {
    const first = await failureOf("a job that has ended stays in the queue", 1);
    const again = await failureOf("a job that has ended stays in the queue", first?.seed ?? 0, 1);
    expect(first?.lastLines.length).toBeGreaterThan(0);
    expect(again).toMatchObject({ message: first?.message, lastLines: first?.lastLines });
  });
});
