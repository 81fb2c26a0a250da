/** The checks of what clients were answered: each finds what it is about. The simulation finds planted bugs with all others. */
import { describe, expect, it } from "vitest";
import { Books } from "../../scripts/qa/checks/books.js";
import { checkCharges, type Waited } from "../../scripts/qa/checks/charges.js";
import { findExcess } from "../../scripts/qa/checks/limits.js";
import { listViolations } from "../../scripts/qa/checks/violation.js";

const run = (request_id: string, state: string, cost_ticks: number | string) => ({
  request_id,
  state,
  cost_ticks,
});
const waited = (given: Partial<Waited>): Waited => ({
  requestId: "a",
  outcome: "whole",
  ticks: 70,
  status: 200,
  beganAt: 1_000,
  endedAt: 2_000,
  ...given,
});

/** Returns what the check of charges says is broken. */
async function findBroken(
  runs: readonly object[],
  answered: Partial<Parameters<typeof checkCharges>[1]>,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const judge = listViolations(broken);
  const books = new Books(<Row extends object>() => Promise.resolve(runs as readonly Row[]), judge);
  await checkCharges(books, { waited: [], jobTicks: new Map(), crashes: [], ...answered }, judge);
  return broken;
}

describe("charges", () => {
  it.each([
    ["what its answer says, as either database writes it", [run("a", "completed", "70")], {}],
    ["nothing, when its server was taken for ended", [run("a", "interrupted", 0)], {}],
    ["what was made before its client left", [run("a", "aborted", 9)], { outcome: "left", ticks: null }],
    [
      "what its engine made before it failed",
      [run("a", "failed", 9)],
      { outcome: "refused", ticks: null, status: 503 },
    ],
  ] as const)("are right where a request is charged %s", async (_, runs, given) => {
    expect(await findBroken(runs, { waited: [waited(given)] })).toEqual([]);
  });

  it.each([
    ["another sum", [run("a", "completed", 71)], {}, /answers are charged as they say/],
    ["nothing, without a reason", [run("a", "completed", 0)], {}, /answers are charged as they say/],
    ["no run at all", [], {}, /its runs are: none/],
    ["in two runs", [run("a", "completed", 70), run("a", "aborted", 0)], {}, /a request has one run/],
    [
      "for a refusal",
      [run("a", "completed", 5)],
      { outcome: "refused", ticks: null, status: 429 },
      /what is refused costs nothing/,
    ],
  ] as const)("are wrong where a request is charged %s", async (_, runs, given, broken) => {
    expect(await findBroken(runs, { waited: [waited(given)] })).toEqual([expect.stringMatching(broken)]);
  });

  it("may miss a run that a crash of the database took back, and only then", async () => {
    const near = { waited: [waited({})], crashes: [{ from: 1_500, until: 1_600 }] };
    const far = { waited: [waited({})], crashes: [{ from: 9_000, until: 9_100 }] };
    expect(await findBroken([], near)).toEqual([]);
    expect(await findBroken([], far)).toHaveLength(1);
  });

  it("of a job are made once, and are what its answer says", async () => {
    const twice = [run("job", "completed", 70), run("job", "completed", 70)];
    const once = [run("job", "interrupted", 0), run("job", "completed", 70)];
    expect(await findBroken(once, { jobTicks: new Map([["job", 70]]) })).toEqual([]);
    expect(await findBroken(twice, { jobTicks: new Map([["job", null]]) })).toEqual([
      expect.stringMatching(/nothing is charged twice/),
    ]);
  });
});

describe("a window of a limit", () => {
  const at = (...times: readonly number[]) => times.map((time) => ({ from: time, until: time }));

  it("has the requests from its first one up to its end, which is the next one's beginning", () => {
    expect(findExcess(at(0, 300, 999, 1_000), 1_000, () => 3)).toBeNull();
    expect(findExcess(at(700, 0, 999, 300), 1_000, () => 3)).toBe(4);
  });

  it("counts only what was counted for sure within it", () => {
    const slow = [...at(0, 1), { from: 2, until: 1_500 }];
    expect(findExcess(slow, 1_000, () => 2)).toBeNull();
  });

  it("has a bound of its own", () => {
    const bound = (from: number): number => (from >= 5_000 ? 4 : 2);
    expect(findExcess(at(0, 1, 5_000, 5_001, 5_002, 5_003), 1_000, bound)).toBeNull();
    expect(findExcess(at(0, 1, 2, 5_000), 1_000, bound)).toBe(3);
  });
});
