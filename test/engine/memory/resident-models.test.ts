import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { ModelMemory } from "../../../src/engine/memory/model-memory.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { machine, named, native, settle } from "./models-in-memory.js";

describe("the models in memory", () => {
  it("are loaded once for any number of concurrent requests", async () => {
    const { models, told } = machine();
    await Promise.all(Array.from({ length: 20 }, () => models.lease(named("a"))));
    expect(told).toEqual(["load a"]);
  });

  it("are unloaded to free memory, least recently used first, and never while in use", async () => {
    const { models, told, clock } = machine();
    const a = await models.lease(named("a"));
    const b = await models.lease(named("b"));
    b.release();
    clock.advance(10);
    await models.lease(named("c"));
    expect(told).toEqual(["load a", "load b", "unload b", "load c"]);
    a.release();
    await models.lease(named("d"));
    expect(told.slice(4)).toEqual(["unload a", "load d"]);
  });

  it("F8: make a load wait while all are in use, until one is released", async () => {
    const { models, told } = machine();
    const a = await models.lease(named("a"));
    await models.lease(named("b"));
    let loaded = false;
    const waiting = models.lease(named("c")).then(() => (loaded = true));
    await settle();
    expect(loaded).toBe(false);
    a.release();
    await waiting;
    expect(told).toEqual(["load a", "load b", "unload a", "load c"]);
  });

  it("free memory for models of another engine, and wait for them", async () => {
    const clock = createManualClock(0);
    const memory = new ModelMemory({ clock, memoryBytesMax: 20 });
    const chat = machine({ clock, memory });
    const vision = machine({ clock, memory });
    const a = await chat.models.lease(named("a"));
    (await chat.models.lease(named("b"))).release();
    await vision.models.lease(named("c"));
    expect(chat.told).toEqual(["load a", "load b", "unload b"]);
    let loaded = false;
    const waiting = vision.models.lease(named("d")).then(() => (loaded = true));
    await settle();
    expect(loaded).toBe(false);
    a.release();
    await waiting;
    expect([chat.told.at(-1), vision.told]).toEqual(["unload a", ["load c", "load d"]]);
  });

  it("are unloaded by idle time relative to load time", async () => {
    const clock = createManualClock(0);
    const told: string[] = [];
    const loadMs: Record<string, number> = { slow: 100, quick: 1, next: 1 };
    const { models } = machine({
      clock,
      load: (model) => {
        clock.advance(loadMs[model.manifest.id] ?? 0);
        return Promise.resolve(native);
      },
      unload: (model) => Promise.resolve(void told.push(model.manifest.id)),
    });
    (await models.lease(named("slow"))).release();
    clock.advance(50);
    (await models.lease(named("quick"))).release();
    clock.advance(50);
    await models.lease(named("next"));
    expect(told).toEqual(["quick"]);
  });

  it("reject at once a model that can never fit, with both figures", async () => {
    const { models } = machine({ estimate: () => 21_000_000_000, memoryBytesMax: 20_000_000_000 });
    await expect(models.lease(named("a"))).rejects.toThrow(
      /needs about 21.0 GB of memory, more than the 20.0 GB/,
    );
  });

  it("stay as long as the last request that says how long wants, until they are unloaded", async () => {
    const { models, told, clock } = machine();
    (await models.lease(named("a"))).release(5_000);
    (await models.lease(named("a"))).release();
    expect(models.list()).toMatchObject([{ until: clock.now() + 5_000 }]);
    clock.advance(5_000);
    await settle();
    expect(told).toEqual(["load a", "unload a"]);
    const [first, second] = [await models.lease(named("a")), await models.lease(named("a"))];
    first.release(0);
    await settle();
    expect(told).toEqual(["load a", "unload a", "load a"]);
    second.release();
    clock.advance(0);
    await settle();
    expect(told.at(-1)).toBe("unload a");
  });

  it("stay as long as their own setting says, though a request wants less, because others may use them", async () => {
    const { models, told, clock } = machine();
    const set = { ...named("a"), load: { keepAliveMs: 3_000 } };
    (await models.lease(set)).release(0);
    expect(models.list()).toMatchObject([{ until: clock.now() + 3_000 }]);
    (await models.lease(set)).release(9_000);
    expect(models.list()).toMatchObject([{ until: clock.now() + 9_000 }]);
    expect(told).toEqual(["load a"]);
  });

  it("are unloaded after the keep-alive time without requests, and not before", async () => {
    const { models, told, clock } = machine();
    const first = await models.lease(named("a"));
    first.release();
    clock.advance(900);
    const second = await models.lease(named("a"));
    clock.advance(5000);
    await settle();
    expect(told).toEqual(["load a"]);
    second.release();
    expect(models.list()[0]?.until).toBe(clock.now() + 1000);
    clock.advance(1000);
    await settle();
    expect(told).toEqual(["load a", "unload a"]);
    expect(models.list()).toEqual([]);
  });

  it("F7: wait after a failed load before the next attempt, twice as long after each failure", async () => {
    let attempts = 0;
    const { models, clock } = machine({
      load: () => {
        attempts += 1;
        return Promise.reject(new HearthError("model_unavailable", "broken"));
      },
    });
    const ask = async (): Promise<HearthError> =>
      models.lease(named("a")).then(
        () => Promise.reject(new Error("it loaded")),
        (error: unknown) => error as HearthError,
      );
    await Promise.all(Array.from({ length: 50 }, ask));
    expect(attempts).toBe(1);
    for (const seconds of [1, 2, 4, 8]) {
      expect((await ask()).retryAfterSeconds).toBe(seconds);
      clock.advance(seconds * 1000);
      await ask();
    }
    expect(attempts).toBe(5);
  });

  it("reset the wait when a load succeeds", async () => {
    let broken = true;
    const { models, clock } = machine({
      load: () =>
        broken ? Promise.reject(new HearthError("model_unavailable", "broken")) : Promise.resolve(native),
    });
    await expect(models.lease(named("a"))).rejects.toThrow("broken");
    broken = false;
    clock.advance(1000);
    await expect(models.lease(named("a"))).resolves.toMatchObject({ slots: 2 });
  });
});
