/** What teams get of an engine that several servers send requests to. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../kit/setup/random-cases.js";
import { SeveralServers } from "./several-servers.js";

/** The part of what a team should have in two minutes. */
const toleranceOfShare = 0.05;

async function shares(all: SeveralServers): Promise<Record<string, number>> {
  const served = await all.pass(120);
  const total = [...served.values()].reduce((sum, seconds) => sum + seconds, 0);
  return Object.fromEntries([...served].map(([teamId, seconds]) => [teamId, seconds / total]));
}

function started(slots: number, servers: number): SeveralServers {
  const all = new SeveralServers(slots);
  for (let server = 0; server < servers; server += 1) all.start();
  return all;
}

describe("several servers that send requests to one engine", () => {
  it("give two teams the same of it, where one floods one server and the other uses both", async () => {
    const all = started(8, 2);
    all.load({ server: 0, teamId: "flooding", requests: 200, runMs: 700 });
    await all.pass(3);
    all.load({ server: 0, teamId: "other", requests: 10, runMs: 900 });
    all.load({ server: 1, teamId: "other", requests: 10, runMs: 900 });
    await all.pass(5);
    const { flooding } = await shares(all);
    expect(Math.abs((flooding ?? 0) - 0.5)).toBeLessThan(toleranceOfShare / 2);
    expect(all.mostRunning).toBeLessThanOrEqual(9);
    expect(all.overPart).toBeLessThan(0.02);
  });

  it.each([
    [3, 2],
    [5, 3],
    [7, 4],
    [16, 3],
  ])(
    "divide %i slots between teams at %i servers alike, though they cannot be divided",
    async (slots, servers) => {
      const all = started(slots, servers);
      for (let server = 0; server < servers; server += 1)
        all.load({ server, teamId: `team-${server}`, requests: 20, runMs: 600 + 170 * server });
      await all.pass(5);
      for (const share of Object.values(await shares(all)))
        expect(Math.abs(share * servers - 1)).toBeLessThan(toleranceOfShare);
      expect(all.mostRunning).toBeLessThanOrEqual(slots + 1);
      expect(all.overPart).toBeLessThan(0.02);
    },
  );

  it("divide by the weights of teams, wherever their requests are", async () => {
    const all = started(12, 3);
    all.load({ server: 0, teamId: "one", requests: 30, runMs: 500 });
    all.load({ server: 1, teamId: "one", requests: 5, runMs: 500 });
    for (const server of [1, 2])
      all.load({ server, teamId: "three", teamWeight: 3, requests: 20, runMs: 800 });
    await all.pass(5);
    const { three } = await shares(all);
    expect(Math.abs((three ?? 0) - 0.75)).toBeLessThan(toleranceOfShare);
  });

  it("give each server a turn, where there are fewer slots than servers, and never more at a time", async () => {
    const all = started(1, 3);
    for (const server of [0, 1, 2]) all.load({ server, teamId: `team-${server}`, requests: 4, runMs: 400 });
    await all.pass(5);
    for (const share of Object.values(await shares(all)))
      expect(Math.abs(share * 3 - 1)).toBeLessThan(2 * toleranceOfShare);
    expect(all.mostRunning).toBe(1);
  });

  it("leave no slot idle for long while a request waits, and seldom exceed the slots, also where messages are lost", async () => {
    const loads = fc.array(
      fc.record({
        server: fc.integer({ min: 0, max: 3 }),
        teamId: fc.constantFrom("a", "b", "c"),
        teamWeight: fc.constant(1),
        requests: fc.integer({ min: 1, max: 9 }),
        runMs: fc.integer({ min: 60, max: 3_000 }),
      }),
      { minLength: 2, maxLength: 6 },
    );
    const slotCounts = fc.integer({ min: 1, max: 10 });
    await fc.assert(
      fc.asyncProperty(slotCounts, loads, fc.constantFrom(0, 4), async (slots, each, oneIsLostOf) => {
        const all = started(slots, 4);
        all.oneIsLostOf = oneIsLostOf;
        for (const load of each) all.load(load);
        await all.pass(8);
        const served = await all.pass(40);
        const wanted = each.reduce((sum, { requests }) => sum + requests, 0);
        const seconds = [...served.values()].reduce((sum, of) => sum + of, 0);
        expect(seconds / 40 / Math.min(slots, wanted)).toBeGreaterThan(0.85);
        expect(all.overPart).toBeLessThan(oneIsLostOf === 0 ? 0.05 : 0.15);
      }),
      { numRuns: casesOf(60) },
    );
  });

  it("let a team that is new at a server wait for the next end of a run only, and never exceed the slots for it", async () => {
    const all = started(4, 2);
    all.load({ server: 0, teamId: "a", requests: 50, runMs: 1_000 });
    await all.pass(3);
    all.load({ server: 1, teamId: "b", requests: 1, runMs: 100 });
    const served = await all.pass(1.5);
    expect(served.get("b")).toBeGreaterThanOrEqual(0.1);
    expect(all.mostRunning).toBe(4);
  });

  it("start a request at once where a slot is free, without a message before", async () => {
    const all = started(4, 2);
    all.load({ server: 0, teamId: "a", requests: 3, runMs: 5_000 });
    await all.pass(1);
    all.load({ server: 1, teamId: "b", requests: 1, runMs: 5_000 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(all.running).toBe(4);
  });
});

describe("a server that sends requests to an engine of several servers", () => {
  it("gives its part back within a second when its requests have ended, and within five when it is dead", async () => {
    for (const end of ["unload", "kill"] as const) {
      const all = started(6, 2);
      all.load({ server: 0, teamId: "a", requests: 20, runMs: 100 });
      all.load({ server: 1, teamId: "b", requests: 3, runMs: 100 });
      await all.pass(3);
      all[end](1);
      await all.pass(end === "unload" ? 1 : 5);
      const served = await all.pass(2);
      expect(served.get("a")).toBeCloseTo(12, 0);
      expect([...served.keys()]).toEqual(["a"]);
    }
  });

  it("has all slots, and none beside them, while no other wants any, and sends nothing where there can be none", async () => {
    const most = async (all: SeveralServers, isShared = true): Promise<number> => {
      all.load({ server: 0, teamId: "a", requests: 10, runMs: 1_000, isShared });
      all.load({ server: 0, teamId: "b", requests: 1, runMs: 1_000, isShared });
      await all.pass(3);
      return all.mostRunning;
    };
    const onSqlite = new SeveralServers(4);
    onSqlite.start(false);
    expect(await most(onSqlite)).toBe(4);
    expect(onSqlite.sent).toBe(0);
    expect(await most(started(4, 1))).toBe(4);
    const others = started(4, 2);
    others.load({ server: 1, teamId: "c", requests: 9, runMs: 1_000, isShared: false });
    const before = others.sent;
    expect(await most(others, false)).toBe(9);
    expect(others.sent).toBe(before);
  });

  it("learns what the others want as soon as it has started", async () => {
    const all = started(4, 1);
    all.load({ server: 0, teamId: "a", requests: 9, runMs: 60_000 });
    await all.pass(1.5);
    const server = all.start();
    await all.pass(0.25);
    all.load({ server, teamId: "b", requests: 9, runMs: 60_000 });
    await all.pass(2);
    expect(all.mostRunning).toBe(4);
  });

  it("takes all slots when it has heard of no other for three seconds, and its part when it hears them again", async () => {
    const all = started(4, 2);
    for (const server of [0, 1]) all.load({ server, teamId: `team-${server}`, requests: 9, runMs: 100 });
    await all.pass(1);
    await all.pass(3);
    expect(all.mostRunning).toBe(4);
    all.isCut = true;
    await all.pass(2);
    expect(all.mostRunning).toBe(4);
    await all.pass(4);
    expect(all.running).toBe(8);
    all.isCut = false;
    await all.pass(2);
    await all.pass(5);
    expect(all.mostRunning).toBe(4);
  });

  it("sends at most five messages a second, each no longer than for fifty teams, and divides by the others, too", async () => {
    const all = started(20, 2);
    for (let team = 0; team < 200; team += 1)
      all.load({ server: 0, teamId: `team-${team}-with-an-id-of-36-characters`, requests: 1, runMs: 250 });
    all.load({ server: 1, teamId: "alone", requests: 30, runMs: 250 });
    await all.pass(3);
    const before = all.sent;
    const served = await all.pass(20);
    expect(all.sent - before).toBeLessThanOrEqual(2 * 5 * 20 + 2);
    expect(all.longest).toBeLessThan(6_000);
    // Its weight is one of 201, and it has one slot at least.
    expect((served.get("alone") ?? 0) / 20).toBeCloseTo(1, 0);
  });
});
