/** F26: the bytes of all request bodies in memory have one bound. */
import { expect, it } from "vitest";
import { BodyBudget, smallBodyBytesMax } from "../../../src/core/requests/body-budget.js";
import { createManualClock } from "../../kit/manual-clock.js";

const bytesMax = 8 * 1024 * 1024;
const share = bytesMax / 2;

function createBudget() {
  const clock = createManualClock(0);
  const budget = new BodyBudget(clock, bytesMax);
  const states: string[] = [];
  const reserve = (bytes: number) => {
    const place = budget.open();
    const at = states.push("waits") - 1;
    const done = place.reserve(bytes).then(
      () => (states[at] = "has"),
      (thrown: unknown) => ((states[at] = "refused"), thrown),
    );
    return { place, done };
  };
  /** Lets what is settled be seen. */
  const seen = async (): Promise<readonly string[]> => {
    await new Promise(setImmediate);
    return states;
  };
  return { clock, budget, reserve, seen };
}

it("F26: bodies beyond the budget wait in order, and small ones do not wait for large ones", async () => {
  const { budget, reserve, seen } = createBudget();
  const first = reserve(share - 1);
  reserve(share);
  reserve(smallBodyBytesMax + 1);
  reserve(smallBodyBytesMax);
  expect(await seen()).toEqual(["has", "waits", "waits", "has"]);
  expect(budget.bytes).toBe(share - 1 + smallBodyBytesMax);
  first.place.release();
  expect(await seen()).toEqual(["has", "has", "waits", "has"]);
});

it("F26: large bodies do not wait for small ones", async () => {
  const { reserve, seen } = createBudget();
  for (let bytes = 0; bytes < share; bytes += smallBodyBytesMax) reserve(smallBodyBytesMax);
  reserve(1);
  reserve(share);
  expect((await seen()).slice(-2)).toEqual(["waits", "has"]);
});

it("F26: a body that waits too long is refused, and the ones behind it are admitted", async () => {
  const { clock, reserve, seen } = createBudget();
  reserve(share - 300_000);
  const large = reserve(share);
  clock.advance(10_000);
  reserve(300_000);
  expect(await seen()).toEqual(["has", "waits", "waits"]);
  clock.advance(10_000);
  expect(await seen()).toEqual(["has", "refused", "has"]);
  expect(await large.done).toMatchObject({ kind: "overloaded", retryAfterSeconds: 10 });
});

it("F26: a body that is larger than the budget is admitted alone", async () => {
  const { reserve, seen } = createBudget();
  const { place } = reserve(bytesMax * 2);
  reserve(share);
  expect(await seen()).toEqual(["has", "waits"]);
  place.release();
  expect(await seen()).toEqual(["has", "has"]);
});

it("F26: a place gives back exactly what it has, whenever it is released", async () => {
  const { budget, reserve, seen } = createBudget();
  const held = reserve(share);
  const waiting = reserve(share);
  waiting.place.release();
  waiting.place.release();
  expect(await seen()).toEqual(["has", "refused"]);
  held.place.shrink(1_000);
  expect(budget.bytes).toBe(1_000);
  const growing = reserve(smallBodyBytesMax);
  await growing.done;
  // It is released in the same turn in which it gets its bytes.
  const grown = growing.place.reserve(share);
  held.place.release();
  growing.place.release();
  await grown.catch(() => undefined);
  expect(budget.bytes).toBe(0);
  await expect(growing.place.reserve(1)).rejects.toMatchObject({ kind: "overloaded" });
});

it("F26: the work on large bodies is done one after the other, also after a failure; that on small ones at once", async () => {
  const { budget } = createBudget();
  const order: string[] = [];
  let finish = (): void => undefined;
  const first = budget.work(share, async () => {
    order.push("first");
    await new Promise<void>((resolve) => (finish = resolve));
    throw new Error("failed");
  });
  const second = budget.work(share, () => Promise.resolve(order.push("second")));
  await budget.work(1, () => Promise.resolve(order.push("small")));
  await new Promise(setImmediate);
  expect(order.toSorted()).toEqual(["first", "small"]);
  finish();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(order.at(-1)).toBe("second");
});
