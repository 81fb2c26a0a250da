/** A worker thread that answers with what it is sent, and a client for it. */
import { onTestFinished } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { WorkerClient } from "../../../src/engine/worker/client.js";
import type { WorkerClientOptions } from "../../../src/engine/worker/client-options.js";
import { createManualClock, type ManualClock } from "../../kit/manual-clock.js";

export const callMsMax = 1_000;
export const idleMsMax = 60_000;
export const host = new URL("../../../dist/engine/worker/host.js", import.meta.url).href;
const errors = new URL("../../../dist/core/errors.js", import.meta.url).href;

/** Answers each request with its text, the thread that answered, and how many requests that thread has received. */
const echoWorker = dataUrl(`
  import { threadId } from "node:worker_threads";
  import { hostWorker, logToClient, reportNews, TransferredResult } from ${JSON.stringify(host)};
  import { HearthError } from ${JSON.stringify(errors)};
  let received = 0;
  const held = new Map();
  const answers = {
    echo: ({ text }) => ({ text, threadId, received }),
    hang: () => { for (;;); },
    exit: () => process.exit(),
    throw: () => { throw new HearthError("invalid_value", "the text is invalid", { param: "text", cause: new Error("inner") }); },
    fail: () => { throw new Error("thrown inside"); },
    news: (_, call) => { reportNews([1, 2, 3].map((news) => ({ id: call.id, news }))); logToClient("warn", "logged inside"); },
    hold: ({ text }, call) => new Promise((resolve) => {
      held.set(text, resolve);
      call.signal.addEventListener("abort", () => resolve({ text: call.isAborted() ? "aborted" : "wrong", threadId, received }));
    }),
    open: ({ text }) => { held.get(text)({ text, threadId, received }); },
    spin: (_, call) => { while (!call.isAborted()); },
    bytes: () => { const bytes = new Uint8Array(4); return new TransferredResult(bytes, [bytes.buffer]); },
  };
  hostWorker({
    answer: (request, call) => { received += 1; return answers[request.type](request, call); },
    close: async () => logToClient("warn", "closed inside"),
  });`);

interface Echo {
  readonly text: string;
  readonly threadId: number;
  readonly received: number;
}

interface Replies {
  readonly echo: Echo;
  readonly hold: Echo;
  readonly open: void;
  readonly hang: never;
  readonly exit: never;
  readonly throw: never;
  readonly fail: never;
  readonly news: void;
  readonly spin: void;
  readonly bytes: Uint8Array;
}

interface Request {
  readonly type: keyof Replies;
  readonly text?: string;
  readonly uncloneable?: () => void;
}

interface TestClient {
  readonly client: WorkerClient<Request, Replies, number>;
  readonly clock: ManualClock;
  readonly logs: readonly string[];
  readonly exits: () => number;
  readonly echo: (text: string, signal?: AbortSignal) => Promise<string>;
}

export function start(options: Partial<WorkerClientOptions> = {}): TestClient {
  const clock = createManualClock(0);
  const logs: string[] = [];
  let exits = 0;
  const client = new WorkerClient<Request, Replies, number>({
    clock,
    name: "echo",
    workerUrl: echoWorker,
    memoryMbMax: 64,
    onAbort: "stop",
    closeMsMax: 0,
    onExit: () => (exits += 1),
    log: (level, message) => void logs.push(`${level}: ${message}`),
    ...options,
  });
  onTestFinished(() => client.close());
  return {
    client,
    clock,
    logs,
    exits: () => exits,
    echo: async (text, signal) =>
      (await client.call({ type: "echo", text }, signal === undefined ? {} : { signal })).text,
  };
}

/** One call at a time, with a time limit. */
export const serial = { concurrencyMax: 1, callMsMax, onAbort: "leave" } as const;

export function dataUrl(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The error that a promise rejects with, as text. */
export function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (thrown: unknown) =>
      thrown instanceof HearthError
        ? `${thrown.kind}: ${thrown.message}${thrown.cause instanceof Error ? ` (${thrown.cause.message.split("\n")[0] ?? ""})` : ""}`
        : String(thrown),
  );
}

export async function threadIdOf({ client }: TestClient): Promise<number> {
  return (await client.call({ type: "echo", text: "" })).threadId;
}

export const exited = (code: number): string =>
  `internal: An internal error occurred. (the echo worker exited with code ${code})`;
export const timedOut = `internal: An internal error occurred. (the echo worker did not answer within ${callMsMax} ms)`;
export const closing = "overloaded: The server is shutting down. Please try again later.";
