import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { errorOf, start } from "./echo-worker.js";

const second = 1_000;

/** A client that ends its thread after three seconds without an answer. */
function watched() {
  const test = start({ blockedSecondsMax: () => 3 });
  return {
    ...test,
    /** Lets seconds pass, each with the time to read an answer. */
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed++) {
        await test.clock.whenWaiting(second);
        test.clock.advance(second);
        await nextTurn();
        await nextTurn();
      }
    },
  };
}

it("C10: a thread whose event loop is blocked is reported, then ended with its calls, and the next call starts a new one", async () => {
  const tested = watched();
  const { client, echo, logs, exits } = tested;
  await echo("started");
  const hanging = errorOf(client.call({ type: "hang" }));
  await tested.pass(2);
  expect(client.isBlocked).toBe(false);
  await tested.pass(1);
  expect([client.isBlocked, exits()]).toEqual([true, 0]);
  await tested.pass(1);
  expect(await hanging).toBe(
    "internal: An internal error occurred. (the echo worker did not answer within 3000 ms)",
  );
  expect(logs).toEqual(["error: the echo worker has not answered for 3 s and is ended"]);
  expect([client.isBlocked, exits()]).toEqual([false, 1]);
  expect(await echo("next")).toBe("next");
});

it("a thread that answers is never ended, however long its calls take", async () => {
  const tested = watched();
  const { client, echo, exits } = tested;
  await echo("started");
  const held = client.call({ type: "hold", text: "x" });
  for (let seconds = 0; seconds < 10; seconds++) {
    await tested.pass(1);
    await echo("answered");
  }
  expect([client.isBlocked, exits()]).toEqual([false, 0]);
  await client.call({ type: "open", text: "x" });
  expect((await held).text).toBe("x");
});

it("a client that was blocked itself, or whose machine slept, does not take its thread for blocked", async () => {
  const { client, echo, clock, exits } = watched();
  await echo("started");
  await clock.whenWaiting(second);
  clock.advance(3_600 * second);
  expect([client.isBlocked, exits()]).toEqual([false, 0]);
  expect(await echo("next")).toBe("next");
});

it("closing ends a blocked thread as soon as it is given up, without the time for closing", async () => {
  const test = start({ blockedSecondsMax: () => 1, closeMsMax: null });
  await test.echo("started");
  const hanging = errorOf(test.client.call({ type: "hang" }));
  const closed = test.client.close();
  for (let passed = 0; passed < 2; passed++) {
    await test.clock.whenWaiting(second);
    test.clock.advance(second);
    await nextTurn();
    await nextTurn();
  }
  await closed;
  expect(await hanging).toContain("shutting down");
});
