/** How slots are divided between servers, for any demands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divide, countDemandedRuns, slotsHere, type ServerDemand } from "../../src/scheduler/divide.js";

const slots = fc.integer({ min: 1, max: 40 });
const weights = fc.record({
  a: fc.constantFrom(0.5, 1, 3),
  b: fc.constantFrom(1, 2),
  c: fc.constantFrom(1, 7),
  d: fc.constant(1),
});
const ids = ["a", "b", "c", "d"] as const;
const runsByTeam = fc.uniqueArray(
  fc.record({ teamId: fc.constantFrom(...ids), runs: fc.integer({ min: 1, max: 20 }) }),
  { selector: ({ teamId }) => teamId, minLength: 1, maxLength: 4 },
);
const serverIds = fc.uniqueArray(fc.constantFrom("1", "2", "3", "4", "5", "6"), { minLength: 1 });

/** Servers at which a team has the same weight. */
const servers = fc
  .tuple(serverIds, fc.array(runsByTeam, { minLength: 6, maxLength: 6 }), weights)
  .map(([each, runs, weightOfTeam]) =>
    each.map((serverId, at): ServerDemand => {
      const named = runs[at] ?? [];
      const ofTeams = named.map((team) => ({ ...team, weight: weightOfTeam[team.teamId] }));
      return { serverId, running: 0, turn: 7 * named.length, teams: ofTeams };
    }),
  );

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, each) => all + each, 0);
const wantedBy = (all: readonly ServerDemand[], teamId: string): number =>
  sum(all.flatMap((server) => server.teams.filter((team) => team.teamId === teamId).map(({ runs }) => runs)));
const weightOf = (all: readonly ServerDemand[], teamId: string): number =>
  all.flatMap((server) => server.teams).find((team) => team.teamId === teamId)?.weight ?? 0;

function demand(serverId: string, running: number, runs: Readonly<Record<string, number>>): ServerDemand {
  const each = Object.entries(runs).map(([teamId, count]) => ({ teamId, weight: 1, runs: count }));
  return { serverId, running, turn: 0, teams: each };
}

describe("the division of slots between servers", () => {
  it("gives teams all slots that are wanted, none more than it wants, and is max-min fair by weight", () => {
    fc.assert(
      fc.property(slots, servers, (count, all) => {
        const parts = [...divide(count, all).teams];
        expect(sum(parts.map(([, part]) => part))).toBeCloseTo(
          Math.min(count, sum(all.map(countDemandedRuns))),
          6,
        );
        for (const [teamId, part] of parts) {
          expect(part).toBeLessThanOrEqual(wantedBy(all, teamId) + 1e-9);
          if (part > wantedBy(all, teamId) - 1e-9) continue;
          // A team that wants more has, for its weight, no less than any other.
          for (const [other, otherPart] of parts)
            expect(part / weightOf(all, teamId)).toBeGreaterThanOrEqual(
              otherPart / weightOf(all, other) - 1e-9,
            );
        }
      }),
    );
  });

  it("gives every slot to one server, none more than its runs while another waits, and each one at least where there are enough", () => {
    fc.assert(
      fc.property(slots, servers, (count, all) => {
        const parts = divide(count, all).servers;
        expect(sum(parts.values())).toBe(count);
        const wanted = sum(all.map(countDemandedRuns));
        for (const server of all) {
          const part = parts.get(server.serverId) ?? -1;
          expect(Number.isInteger(part)).toBe(true);
          expect(part).toBeGreaterThanOrEqual(count >= all.length ? 1 : 0);
          if (wanted >= count) expect(part).toBeLessThanOrEqual(countDemandedRuns(server));
          else
            expect(part).toBeGreaterThanOrEqual(
              countDemandedRuns(server) + Math.floor((count - wanted) / all.length),
            );
        }
      }),
    );
  });

  it("gives a server what its teams get by their runs there: but for one slot in a turn, and exactly over many turns", () => {
    const turns = 300;
    fc.assert(
      fc.property(slots, servers, (count, all) => {
        if (sum(all.map(countDemandedRuns)) < count) return;
        const { teams: ofTeams } = divide(count, all);
        const quotas = all.map(({ serverId, teams: named }) => {
          const of = named.map(
            ({ teamId, runs }) => ((ofTeams.get(teamId) ?? 0) * runs) / wantedBy(all, teamId),
          );
          return { serverId, quota: sum(of), slots: 0 };
        });
        // Where each is to have one slot, less is left for the others.
        if (count >= all.length && quotas.some(({ quota }) => quota < 1)) return;
        for (let turn = 0; turn < turns; turn += 1) {
          const parts = divide(
            count,
            all.map((server) => ({ ...server, turn })),
          ).servers;
          for (const each of quotas) {
            const part = parts.get(each.serverId) ?? -1;
            expect(Math.abs(part - each.quota)).toBeLessThan(1 + 1e-6);
            each.slots += part;
          }
        }
        for (const { quota, slots: given } of quotas)
          expect(Math.abs(given / turns - quota)).toBeLessThan(0.03);
      }),
      { numRuns: 30 },
    );
  });

  it("is the same on every server, in whatever order it has heard of the others", () => {
    const shuffled = servers.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(slots, shuffled, (count, [all, other]) => {
        const again = other.map((server) => ({ ...server, teams: server.teams.toReversed() }));
        expect(new Map(divide(count, again).servers)).toEqual(new Map(divide(count, all).servers));
        expect(new Map(divide(count, again).teams)).toEqual(new Map(divide(count, all).teams));
      }),
    );
  });

  it("gives a team no less where its weight is larger", () => {
    fc.assert(
      fc.property(slots, servers, fc.constantFrom("a", "b", "c", "d"), (count, all, heavier) => {
        const raised = all.map((server) => ({
          ...server,
          teams: server.teams.map((team) =>
            team.teamId === heavier ? { ...team, weight: team.weight * 2 } : team,
          ),
        }));
        const [before, after] = [all, raised].map((each) => divide(count, each).teams.get(heavier) ?? 0);
        expect(after).toBeGreaterThanOrEqual((before ?? 0) - 1e-9);
      }),
    );
  });

  it("gives a team with runs at two servers as much as one with runs at one", () => {
    const all = [demand("1", 0, { a: 20 }), demand("2", 0, { a: 20, b: 20 })];
    expect(divide(8, all)).toEqual({
      teams: new Map([
        ["a", 4],
        ["b", 4],
      ]),
      servers: new Map([
        ["1", 2],
        ["2", 6],
      ]),
    });
  });
});

describe("the slots of a server", () => {
  it("are no more, over all servers, than there are, wherever some still have more than their part", () => {
    const withRunning = fc.tuple(slots, servers, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }));
    fc.assert(
      fc.property(withRunning, ([count, all, shares]) => {
        if (count < all.length) return;
        const free = { left: count };
        const running = all.map((server, at) => {
          const held = (shares[at] ?? 0) % (Math.min(free.left, countDemandedRuns(server)) + 1);
          free.left -= held;
          return { ...server, running: held };
        });
        const held = running.map((here) =>
          Math.max(
            here.running,
            slotsHere(
              count,
              here,
              running.filter((other) => other !== here),
            ),
          ),
        );
        expect(sum(held)).toBeLessThanOrEqual(count + sum(running.map(spareOf(count, running))));
        // What is free is used where a run waits.
        const begun = running.map(
          (server, at) => Math.min(countDemandedRuns(server), held[at] ?? 0) - server.running,
        );
        const waiting = sum(running.map((server) => countDemandedRuns(server) - server.running));
        expect(sum(begun)).toBe(Math.min(waiting, free.left));
      }),
    );
  });

  it("are one for each server by turns where there are fewer slots than servers that want them", () => {
    const counts = new Map(["1", "2", "3"].map((id) => [id, 0]));
    for (let turn = 0; turn < 60; turn += 1) {
      const all = [...counts.keys()].map((id) => ({ ...demand(id, 0, { [id]: 5 }), turn }));
      for (const here of all) {
        const others = all.filter((other) => other !== here);
        counts.set(here.serverId, (counts.get(here.serverId) ?? 0) + slotsHere(1, here, others));
      }
    }
    for (const count of counts.values()) expect(Math.abs(count - 20)).toBeLessThanOrEqual(2);
  });

  it("become those that end at a server with too many, and only one server takes each", () => {
    const full = demand("1", 3, { a: 9 });
    const [two, three] = [demand("2", 0, { b: 9 }), demand("3", 0, { c: 9 })];
    const taken = [slotsHere(4, two, [full, three]), slotsHere(4, three, [full, two])];
    expect(taken.toSorted()).toEqual([0, 1]);
    const begun = demand("2", 1, { b: 9 });
    expect(slotsHere(4, three, [full, begun])).toBe(0);
    const ended = demand("1", 2, { a: 9 });
    expect(slotsHere(4, three, [ended, begun])).toBe(1);
  });
});

/** Returns the slots beyond its runs that a server has where fewer runs are wanted than there are slots. */
function spareOf(count: number, all: readonly ServerDemand[]): (server: ServerDemand) => number {
  const parts = divide(count, all).servers;
  return (server) => Math.max(0, (parts.get(server.serverId) ?? 0) - countDemandedRuns(server));
}
