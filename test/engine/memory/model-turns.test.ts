import { describe, expect, it } from "vitest";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { decideEviction, turnMsMin } from "../../../src/engine/memory/eviction.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { machine, named, native, settle } from "./models-in-memory.js";

type Machine = ReturnType<typeof machine>;

/** Requests a model; `states` is what has become of the request. */
function request({ models }: Machine, id: string, signal?: AbortSignal) {
  const lease = models.lease(named(id), signal);
  const asked = { lease, state: "waiting" };
  lease.then(
    () => (asked.state = "served"),
    () => (asked.state = "rejected"),
  );
  return asked;
}

/** Models a and b in use, whose turns are over. */
async function busyMachine(overrides: Parameters<typeof machine>[0] = {}) {
  const busy = machine(overrides);
  const a = await busy.models.lease(named("a"));
  const b = await busy.models.lease(named("b"));
  busy.clock.advance(turnMsMin);
  return { ...busy, a, b };
}

describe("a model that has changed", () => {
  it("stays in memory as it was while runs use it, and leaves with the last of them", async () => {
    const both = machine();
    const old = await both.models.lease(named("a"));
    await both.models.lease({ ...named("a"), fingerprint: "changed" });
    await settle();
    expect(both.told).toEqual(["load a", "load a"]);
    old.release();
    both.clock.advance(0);
    await settle();
    expect(both.told).toEqual(["load a", "load a", "unload a"]);
  });
});

describe("a load that waits while requests keep all models in use", () => {
  it("has its turn: later requests for the model it replaces are served after it, in order", async () => {
    const busy = await busyMachine();
    const c = request(busy, "c");
    await settle();
    const order: string[] = [];
    const later = ["a1", "a2", "a3"].map((name) => {
      const asked = request(busy, "a");
      void asked.lease.then(() => order.push(name));
      return asked;
    });
    await settle();
    expect([c, ...later].map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting", "waiting"]);
    busy.a.release();
    (await c.lease).release();
    await Promise.all(later.map(({ lease }) => lease));
    expect(order).toEqual(["a1", "a2", "a3"]);
    expect(busy.told.slice(2)).toEqual(["unload a", "load c", "unload c", "load a"]);
  });

  it("holds no more models back than it needs", async () => {
    const busy = await busyMachine();
    request(busy, "c");
    await settle();
    const b = request(busy, "b");
    await settle();
    expect(b.state).toBe("served");
  });

  it("lets a model in use serve for five seconds after its load, or as long as the load took", async () => {
    for (const [loadMs, turnMs] of [
      [10, turnMsMin],
      [9000, 9000],
    ] as const) {
      const clock = createManualClock(0);
      const slow = machine({
        clock,
        memoryBytesMax: 10,
        load: () => Promise.resolve(native).finally(() => clock.advance(loadMs)),
      });
      const first = await slow.models.lease(named("a"));
      const c = request(slow, "c");
      await settle();
      clock.advance(turnMs - 1);
      const second = await slow.models.lease(named("a"));
      clock.advance(1);
      const third = request(slow, "a");
      await settle();
      expect([c.state, third.state]).toEqual(["waiting", "waiting"]);
      first.release();
      second.release();
      await c.lease;
    }
  });

  it("leaves the queue when its requests abort, and what it held back is served at once", async () => {
    const busy = await busyMachine();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [request(busy, "c", first.signal), request(busy, "c", second.signal)];
    await settle();
    const a = request(busy, "a");
    first.abort();
    await settle();
    expect([...asked, a].map(({ state }) => state)).toEqual(["rejected", "waiting", "waiting"]);
    second.abort();
    await settle();
    expect([...asked, a].map(({ state }) => state)).toEqual(["rejected", "rejected", "served"]);
    busy.a.release();
    busy.b.release();
    await settle();
    expect(busy.told).toEqual(["load a", "load b"]);
    // It did not fail: the next request does not wait for a back-off.
    await request(busy, "c").lease;
  });

  it("is followed by requests that were held back and have not aborted", async () => {
    const busy = await busyMachine({ memoryBytesMax: 20 });
    const c = request(busy, "c");
    await settle();
    const aborting = new AbortController();
    const aborted = request(busy, "a", aborting.signal);
    const kept = request(busy, "a");
    aborting.abort();
    await settle();
    expect([aborted.state, kept.state]).toEqual(["rejected", "waiting"]);
    busy.a.release();
    (await c.lease).release();
    const a = await kept.lease;
    a.release();
    busy.clock.advance(1000);
    await settle();
    expect(busy.models.list().map(({ id, until }) => [id, until])).toEqual([["b", null]]);
  });

  it("and everything that it held back goes on when the worker of the models has ended", async () => {
    const busy = await busyMachine();
    const asked = [request(busy, "c")];
    await settle();
    asked.push(request(busy, "a"), request(busy, "b"));
    await settle();
    expect(asked.map(({ state }) => state)).toEqual(["waiting", "waiting", "served"]);
    busy.models.dropAll();
    await settle();
    expect(asked[0]?.state).toBe("served");
    expect(asked[1]?.state).toBe("served");
    expect(busy.models.list().map(({ id }) => id)).toEqual(["c", "a"]);
    // What is left of the ended worker changes nothing.
    busy.a.release();
    busy.b.release();
    expect(busy.models.list().map(({ until }) => until)).toEqual([null, null]);
  });

  it("is rejected with everything that it held back when the engine is closed", async () => {
    let isClosed = false;
    const busy = await busyMachine({
      load: () => (isClosed ? Promise.reject(new Error("closed")) : Promise.resolve(native)),
    });
    const asked = [request(busy, "c")];
    await settle();
    asked.push(request(busy, "a"));
    await settle();
    isClosed = true;
    busy.models.dropAll();
    await settle();
    expect(asked.map(({ state }) => state)).toEqual(["rejected", "rejected"]);
  });

  it("never counts memory as free that is still being freed", async () => {
    const clock = createManualClock(0);
    const memory = new ModelMemory({ clock, memoryBytesMax: 20 });
    const unloading: (() => void)[] = [];
    const loading: (() => void)[] = [];
    const slow = machine({
      clock,
      memory,
      load: () => new Promise((resolve) => loading.push(() => resolve(native))),
      unload: () => new Promise((resolve) => unloading.push(resolve)),
    });
    const a = request(slow, "a");
    await settle();
    loading.shift()?.();
    (await a.lease).release();
    request(slow, "b");
    await settle();
    // While b is loading, the keep-alive of a ends, and c is requested.
    clock.advance(1000);
    request(slow, "c");
    loading.shift()?.();
    await settle();
    expect([loading.length, unloading.length]).toEqual([0, 1]);
    unloading.shift()?.();
    await settle();
    expect(loading.length).toBe(1);
  });

  it("keeps to the models that it has held back, of which some runs may have ended in vain", () => {
    const model = { bytes: 10, leases: 1, lastUsed: 0, loadMs: 1 };
    const loaded = [
      { ...model, id: "a", turnBegan: 1 },
      { ...model, id: "b", turnBegan: 2 },
    ];
    const state = { loaded, budget: 20, now: 10 * turnMsMin };
    const decide = (held: string[]) => decideEviction({ ...state, heldBack: new Set(held) }, 10);
    expect(decide([])).toEqual({ type: "wait", holdBack: ["a"], reviewMs: null });
    expect(decide(["b"])).toEqual({ type: "wait", holdBack: ["b"], reviewMs: null });
  });
});
