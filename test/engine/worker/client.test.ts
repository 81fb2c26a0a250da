import { describe, expect, it } from "vitest";
import { type HearthError } from "../../../src/core/errors.js";
import {
  callMsMax,
  closing,
  dataUrl,
  errorOf,
  exited,
  host,
  idleMsMax,
  serial,
  start,
  threadIdOf,
  timedOut,
} from "./echo-worker.js";

describe("calls to a worker", () => {
  it("wait until the thread has started, and are answered in order", async () => {
    const { echo } = start();
    const answers: string[] = [];
    await Promise.all(["a", "b", "c"].map(async (text) => answers.push(await echo(text))));
    expect(answers).toEqual(["a", "b", "c"]);
  });

  it("run concurrently without a limit", async () => {
    const { client } = start();
    const held = client.call({ type: "hold", text: "x" });
    await client.call({ type: "open", text: "x" });
    expect((await held).text).toBe("x");
  });

  it("run one at a time with a limit of one", async () => {
    const { client, echo } = start({ concurrencyMax: 1 });
    await echo("started");
    const leave = new AbortController();
    const held = errorOf(client.call({ type: "hold", text: "x" }, { signal: leave.signal }));
    const next = client.call({ type: "echo", text: "next" });
    leave.abort(new Error("left"));
    expect([await held, (await next).received]).toEqual(["Error: left", 3]);
  });

  it("reject with the kind, message and parameter of a HearthError that the worker throws", async () => {
    const { client, echo } = start();
    const thrown: unknown = await client.call({ type: "throw" }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ kind: "invalid_value", message: "the text is invalid", param: "text" });
    expect(String((thrown as HearthError).cause)).toContain("inner");
    expect(await echo("next")).toBe("next");
  });

  it("reject with an internal error whose cause is any other error that the worker throws", async () => {
    const { client } = start();
    expect(await errorOf(client.call({ type: "fail" }))).toContain(
      "internal: An internal error occurred. (Error: thrown inside",
    );
  });

  it("reject when the request cannot be sent to a thread, and the next call is answered", async () => {
    const { client, echo } = start({ concurrencyMax: 1 });
    const refused = errorOf(client.call({ type: "echo", uncloneable: () => undefined }));
    expect(await refused).toContain("internal");
    expect(await echo("next")).toBe("next");
  });

  it("deliver news and log messages before the result", async () => {
    const { client, logs } = start();
    const news: number[] = [];
    await client.call({ type: "news" }, { onNews: (item) => news.push(item) });
    expect([news, logs]).toEqual([[1, 2, 3], ["warn: logged inside"]]);
  });

  it("deliver results whose buffers are transferred", async () => {
    expect(await start().client.call({ type: "bytes" })).toHaveLength(4);
  });

  it("reject at once when too many calls wait", async () => {
    const waiting = { max: 2, overloadedMessage: "Too many texts." };
    const { client, echo, clock } = start({ ...serial, waiting });
    const hanging = errorOf(client.call({ type: "hang" }));
    await clock.whenWaiting(callMsMax);
    const calls = [echo("a"), echo("b")];
    expect(await errorOf(echo("c"))).toBe("overloaded: Too many texts.");
    clock.advance(callMsMax);
    expect([await hanging, ...(await Promise.all(calls))]).toEqual([timedOut, "a", "b"]);
  });
});

describe("an aborted call", () => {
  it("is sent to the worker, and rejects with the signal's reason when the worker has ended it", async () => {
    const { client, echo } = start();
    const leave = new AbortController();
    const held = errorOf(client.call({ type: "hold", text: "x" }, { signal: leave.signal }));
    await echo("in flight");
    leave.abort(new Error("left"));
    expect(await held).toBe("Error: left");
  });

  it("reaches a worker whose event loop is blocked", async () => {
    const { client, echo } = start({ concurrencyMax: 1 });
    await echo("started");
    const leave = new AbortController();
    const spinning = errorOf(client.call({ type: "spin" }, { signal: leave.signal }));
    leave.abort(new Error("left"));
    expect(await spinning).toBe("Error: left");
  });

  it("that waits, or was aborted before, rejects at once and is never sent", async () => {
    const { client, clock, echo } = start(serial);
    const hanging = errorOf(client.call({ type: "hang" }));
    await clock.whenWaiting(callMsMax);
    const leave = new AbortController();
    const left = errorOf(echo("left", leave.signal));
    leave.abort(new Error("left"));
    expect(await left).toBe("Error: left");
    expect(await errorOf(echo("left", leave.signal))).toBe("Error: left");
    const next = client.call({ type: "echo", text: "next" });
    clock.advance(callMsMax);
    expect([await hanging, (await next).received]).toEqual([timedOut, 1]);
  });

  it("rejects at once with `leave`, and its thread stays", async () => {
    const test = start({ ...serial, callMsMax: 60_000 });
    const id = await threadIdOf(test);
    const leave = new AbortController();
    const left = errorOf(test.echo("a", leave.signal));
    leave.abort(new Error("left"));
    expect(await left).toBe("Error: left");
    expect(await threadIdOf(test)).toBe(id);
  });
});

describe("a thread that exits", () => {
  it("rejects every call in flight and reports the exit, and the next call starts a new thread", async () => {
    const test = start();
    const id = await threadIdOf(test);
    const inFlight = [
      test.client.call({ type: "hold", text: "x" }),
      test.client.call({ type: "hold", text: "y" }),
      test.client.call({ type: "exit" }),
    ];
    expect(await Promise.all(inFlight.map(errorOf))).toEqual(Array(3).fill(exited(0)));
    expect(test.exits()).toBe(1);
    expect(await threadIdOf(test)).not.toBe(id);
  });

  it("loses the call in flight only, with a limit of one: waiting calls go to a new thread", async () => {
    const { client, echo } = start(serial);
    const calls = [
      echo("a"),
      client.call({ type: "exit" }),
      echo("b"),
      client.call({ type: "exit" }),
      echo("c"),
    ];
    const results = await Promise.all(
      calls.map((call) => call.catch((error: unknown) => errorOf(Promise.reject(error as Error)))),
    );
    expect(results).toEqual(["a", exited(0), "b", exited(0), "c"]);
  });

  it("before it is ready rejects the call it was started for, and is not started for ever", async () => {
    const missing = start({ ...serial, workerUrl: new URL("file:///missing/worker.js") });
    const refusals = await Promise.all(["a", "b"].map((text) => errorOf(missing.echo(text))));
    expect(refusals).toEqual(Array(2).fill(exited(1)));
    expect(missing.logs).toHaveLength(2);
  });

  it("because of an uncaught error writes the error to the log", async () => {
    const workerUrl = dataUrl(`
      import { hostWorker } from ${JSON.stringify(host)};
      hostWorker({ answer: () => { throw new Error("thrown inside"); }, exitsOnError: true });`);
    const { echo, logs } = start({ workerUrl });
    expect(await errorOf(echo("a"))).toBe(exited(1));
    expect(logs).toEqual(["error: echo worker: thrown inside"]);
  });

  it("is terminated when a call exceeds its time limit, which starts when the call is in flight", async () => {
    const { client, clock, echo } = start(serial);
    const hanging = [client.call({ type: "hang" }), client.call({ type: "hang" })].map(errorOf);
    const next = echo("next");
    for (const each of hanging) {
      await clock.whenWaiting(callMsMax);
      clock.advance(callMsMax);
      expect(await each).toBe(timedOut);
    }
    expect(await next).toBe("next");
  });

  it("ends after the idle limit without calls, and starts again at the next call", async () => {
    const test = start({ ...serial, idleMsMax });
    const id = await threadIdOf(test);
    test.clock.advance(idleMsMax - 1);
    expect(await threadIdOf(test)).toBe(id);
    test.clock.advance(idleMsMax - 1);
    expect(await threadIdOf(test)).toBe(id);
    test.clock.advance(idleMsMax);
    expect(await threadIdOf(test)).not.toBe(id);
  });
});

describe("closing", () => {
  it("rejects the calls in flight, waiting calls and later calls", async () => {
    const { client, clock, echo } = start(serial);
    const calls = [client.call({ type: "hang" }), echo("a")].map(errorOf);
    await clock.whenWaiting(callMsMax);
    await client.close();
    expect(await Promise.all([...calls, errorOf(echo("b"))])).toEqual(Array(3).fill(closing));
  });

  it("aborts the calls in flight and lets the worker free its resources", async () => {
    const { client, echo, logs } = start({ closeMsMax: null });
    const held = errorOf(client.call({ type: "hold", text: "x" }, { signal: new AbortController().signal }));
    await echo("in flight");
    await client.close();
    expect([await held, logs]).toEqual([closing, ["warn: closed inside"]]);
  });

  it("resolves after its time limit although the worker hangs", async () => {
    const { client, clock, echo } = start({ closeMsMax: 5_000 });
    await echo("started");
    const hanging = errorOf(client.call({ type: "hang" }));
    const closed = client.close();
    await clock.whenWaiting(5_000);
    clock.advance(5_000);
    await closed;
    expect(await hanging).toBe(closing);
  });

  it("resolves when the worker exits meanwhile, and starts no thread", async () => {
    const { client, echo, logs } = start({ closeMsMax: null });
    await echo("started");
    const exiting = errorOf(client.call({ type: "exit" }));
    await client.close();
    await client.close();
    expect([await exiting, logs]).toEqual([closing, []]);
  });

  it("starts no thread when none was started", async () => {
    const { client, logs, echo } = start({ workerUrl: new URL("file:///missing/worker.js") });
    await client.close();
    expect(await errorOf(echo("a"))).toBe(closing);
    expect(logs).toEqual([]);
  });
});
