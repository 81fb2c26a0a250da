import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkClass } from "../../src/core/slots.js";
import {
  arrive,
  close,
  emptyState,
  leave,
  type Decision,
  type Effect,
  type SchedulerState,
} from "../../src/scheduler/decide.js";

const tokensExpected = 10;

const run = (id: string, teamId = "a", slots = 1, model = "m", workClass: WorkClass = "interactive") => ({
  id,
  teamId,
  slots,
  teamWeight: 1,
  model,
  workClass,
  tokensExpected,
});

const servedOf = (state: SchedulerState, teamId: string): number =>
  state.shares.get("m")?.served.get(teamId) ?? 0;

/** Applies arrivals one after the other. */
function arriving(
  queueDepthMax: number,
  ...runs: readonly ReturnType<typeof run>[]
): { state: SchedulerState; effects: Effect[] } {
  let state = emptyState(queueDepthMax);
  const effects: Effect[] = [];
  for (const next of runs) {
    const decision = arrive(state, next);
    state = decision.state;
    effects.push(...decision.effects);
  }
  return { state, effects };
}

describe("the scheduler's decisions", () => {
  it("grant a free slot at once, and the next one in order of arrival", () => {
    const { state, effects } = arriving(5, run("1"), run("2"), run("3"));
    expect(effects).toEqual([{ type: "grant", id: "1" }]);
    const second = leave(state, "1");
    expect(second.effects).toEqual([{ type: "grant", id: "2" }]);
    expect(leave(second.state, "2").effects).toEqual([{ type: "grant", id: "3" }]);
  });

  it("refuse a run at once when the queue is full, and change nothing for the waiting ones", () => {
    const { state } = arriving(1, run("1"), run("2"));
    const refused = arrive(state, run("3"));
    expect(refused.effects).toEqual([{ type: "refuse", id: "3", because: "queue-full" }]);
    expect(refused.state).toBe(state);
  });

  it("refuse every run that cannot start at once when the queue depth is zero", () => {
    expect(arriving(0, run("1"), run("2")).effects).toEqual([
      { type: "grant", id: "1" },
      { type: "refuse", id: "2", because: "queue-full" },
    ]);
  });

  it("give a team without a run the additional slot, so that another team's requests do not delay it", () => {
    const flood = ["a1", "a2", "a3", "a4"].map((id) => run(id, "a", 2));
    const { state, effects } = arriving(9, ...flood, run("b1", "b", 2), run("b2", "b", 2), run("c1", "c", 2));
    expect(effects.map((effect) => effect.id)).toEqual(["a1", "a2", "b1"]);
    expect(leave(state, "b1", 10).effects).toEqual([{ type: "grant", id: "c1" }]);
    expect(leave(state, "a1", 10).effects).toEqual([{ type: "grant", id: "c1" }]);
  });

  it("give no team a slot beside those of an engine outside, which would refuse its run", () => {
    const outside = (id: string, team: string) => ({ ...run(id, team, 2), sharedAs: "engine" });
    const { state, effects } = arriving(9, outside("a1", "a"), outside("a2", "a"), outside("b1", "b"));
    expect(effects.map((effect) => effect.id)).toEqual(["a1", "a2"]);
    expect(leave(state, "a1", 10).effects).toEqual([{ type: "grant", id: "b1" }]);
  });

  it("give a team that was served less the next slot, however long the other's queue is", () => {
    const runs = ["a1", "b1", "a2", "a3", "b2", "b3"].map((id) => run(id, id.slice(0, 1), 2));
    const { state } = arriving(9, ...runs);
    const grantedBy = (decision: Decision): readonly string[] => decision.effects.map((effect) => effect.id);
    // Team a was served ten times as much: the slot goes to team b, the additional one to team a, which then has no run.
    const afterLong = leave(state, "a1", 1000);
    expect(grantedBy(afterLong)).toEqual(["b2", "a2"]);
    const afterShort = leave(afterLong.state, "b1", 100);
    expect(grantedBy(afterShort)).toEqual([]);
    expect(grantedBy(leave(afterShort.state, "a2", 1000))).toEqual(["b3", "a3"]);
  });

  it("serve teams that always have waiting runs in proportion to their weights", () => {
    const weights: Readonly<Record<string, number>> = { a: 3, b: 1 };
    const asking = (id: string, team: string) => ({ ...run(id, team, 8), teamWeight: weights[team] ?? 1 });
    const first = Array.from({ length: 40 }, (_, nth) => asking(`first${nth}`, nth % 2 === 0 ? "a" : "b"));
    let state = arriving(99, ...first).state;
    const tokens: Record<string, number> = { a: 0, b: 0 };
    for (let nth = 0; nth < 800; nth += 1) {
      const [id, { teamId }] = [...state.running][0] ?? ["", { teamId: "" }];
      tokens[teamId] = (tokens[teamId] ?? 0) + 100;
      state = leave(state, id, 100).state;
      state = arrive(state, asking(`${teamId}${nth}`, teamId)).state;
    }
    expect((tokens["a"] ?? 0) / (tokens["b"] ?? 1)).toBeCloseTo(3, 0);
  });

  it("do not compensate a team that returns for the time it was away", () => {
    const busy = arriving(9, run("b1", "b"), run("b2", "b"), run("b3", "b")).state;
    const served = leave(busy, "b1", 5000).state;
    const back = arrive(served, run("a1", "a")).state;
    expect(servedOf(back, "a")).toBeGreaterThanOrEqual(servedOf(back, "b") - tokensExpected);
  });

  it("do not compensate a team for the time in which it had one long run and requested no more", () => {
    let { state } = arriving(99, run("a-long", "a", 2), run("b0", "b", 2), run("b1", "b", 2));
    for (let nth = 0; nth < 50; nth += 1) {
      state = arrive(state, run(`b${nth + 2}`, "b", 2)).state;
      state = leave(state, `b${nth}`, 100).state;
    }
    for (const id of ["a1", "a2"]) state = arrive(state, run(id, "a", 2)).state;
    expect(servedOf(state, "a")).toBeGreaterThanOrEqual(servedOf(state, "b") - 200);
  });

  it("do not make a team pay for what it was served while the others requested no more than one long run", () => {
    const long = ["b-long", "c-long"];
    let { state } = arriving(99, run("b-long", "b", 3), run("c-long", "c", 3), run("b0", "b", 3));
    for (let nth = 0; nth < 50; nth += 1) {
      state = arrive(state, run(`b${nth + 1}`, "b", 3)).state;
      state = leave(state, `b${nth}`, 100).state;
    }
    for (let nth = 0; nth < 90; nth += 1) state = arrive(state, run(`a${nth}`, "a", 3)).state;
    state = arrive(state, run("b-next", "b", 3)).state;
    let turns = 0;
    for (; !state.running.has("b-next"); turns += 1) {
      const [ended = ""] = [...state.running.keys()].filter((id) => !long.includes(id));
      state = leave(state, ended, 100).state;
    }
    expect(turns).toBeLessThanOrEqual(3);
  });

  it("count what a team is served on each model by itself", () => {
    let { state } = arriving(99, run("a-other", "a", 1, "other"), run("a-other2", "a", 1, "other"));
    state = leave(state, "a-other", 5000).state;
    for (let nth = 0; nth < 30; nth += 1)
      for (const team of ["a", "b"]) state = arrive(state, run(`${team}${nth}`, team, 2)).state;
    const ended: string[] = [];
    while (ended.length < 20) {
      const [id = ""] = [...state.running.keys()].filter((each) => each !== "a-other2");
      ended.push(id);
      state = leave(state, id, 100).state;
    }
    expect(ended.filter((id) => id.startsWith("a")).length).toBeGreaterThan(8);
  });

  it("prefer interactive work to background, deferred and batch work, which still get turns", () => {
    const interactive = Array.from({ length: 20 }, (_, index) => run(`i${index}`, "a"));
    const others = [
      run("b", "a", 1, "m", "batch"),
      run("d", "a", 1, "m", "deferred"),
      run("g", "a", 1, "m", "background"),
    ];
    const order: string[] = [];
    let { state } = arriving(99, run("first"), ...others, ...interactive);
    for (let id: string | undefined = "first"; id !== undefined;) {
      const decision = leave(state, id, 10);
      state = decision.state;
      id = decision.effects[0]?.id;
      if (id !== undefined) order.push(id);
    }
    expect(order.slice(0, 8).every((id) => id.startsWith("i"))).toBe(true);
    expect(order.slice(8, 11)).toEqual(["b", "d", "g"]);
    expect(order.length).toBe(23);
  });

  it("keep the slots of one model apart from those of another", () => {
    const { effects } = arriving(9, run("1"), run("2", "a", 1, "n"));
    expect(effects).toEqual([
      { type: "grant", id: "1" },
      { type: "grant", id: "2" },
    ]);
  });

  it("remove a run that stops waiting, without changing the running ones", () => {
    const { state } = arriving(9, run("1"), run("2"), run("3"));
    const without = leave(state, "2");
    expect(without.effects).toEqual([]);
    expect(leave(without.state, "1").effects).toEqual([{ type: "grant", id: "3" }]);
  });

  it("refuse waiting and new runs once closing, and let running ones end", () => {
    const closing = close(arriving(9, run("1"), run("2")).state);
    expect(closing.effects).toEqual([{ type: "refuse", id: "2", because: "closing" }]);
    expect(arrive(closing.state, run("3")).effects).toEqual([
      { type: "refuse", id: "3", because: "closing" },
    ]);
    expect(leave(closing.state, "1").state.running.size).toBe(0);
  });

  it("hold for any history: never more runs than slots plus the additional one, no idle slot while a run waits, and no run lost", () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("arrive" as const), team: fc.constantFrom("a", "b", "c") }),
      fc.record({ type: fc.constant("leave" as const), which: fc.nat() }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 6 }),
        (steps, slots, depth) => {
          let state = emptyState(depth);
          const inside = new Set<string>();
          steps.forEach((next, index) => {
            const ids = [...inside];
            const decision =
              next.type === "arrive"
                ? (inside.add(String(index)), arrive(state, run(String(index), next.team, slots)))
                : leave(state, ids[next.which % Math.max(1, ids.length)] ?? "nobody");
            if (next.type === "leave") inside.delete(ids[next.which % Math.max(1, ids.length)] ?? "nobody");
            for (const effect of decision.effects) if (effect.type === "refuse") inside.delete(effect.id);
            state = decision.state;
            expect(state.running.size).toBeLessThanOrEqual(slots + 1);
            expect(state.waiting.length).toBeLessThanOrEqual(depth);
            if (state.waiting.length > 0) expect(state.running.size).toBeGreaterThanOrEqual(slots);
            expect(new Set([...state.running.keys(), ...state.waiting.map((place) => place.id)])).toEqual(
              inside,
            );
          });
        },
      ),
    );
  });
});
