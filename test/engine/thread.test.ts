import { describe, expect, it, onTestFinished } from "vitest";
import { HearthError } from "../../src/core/errors.js";
import { WorkThread, type WorkThreadOptions } from "../../src/engine/thread.js";
import { createManualClock, type ManualClock } from "../http/manual-clock.js";

const workMsMax = 1_000;
const idleMsMax = 60_000;
const compiled = new URL("../../dist/engine/thread.js", import.meta.url).href;

/** Tells each word back, with the thread it was told to and how many that had been told by then. */
const echo = dataUrl(`
  import { threadId } from "node:worker_threads";
  import { answerWork } from ${JSON.stringify(compiled)};
  let told = 0;
  answerWork((word) => {
    told += 1;
    if (word === "hang") for (;;);
    if (word === "die") process.exit();
    if (word === "throw") throw new Error("thrown within");
    return { type: "echo", word, threadId, told };
  });`);

interface Echo {
  readonly type: "echo";
  readonly word: string;
  readonly threadId: number;
  readonly told: number;
}

interface Subject {
  readonly thread: WorkThread<string, Echo>;
  readonly clock: ManualClock;
  readonly logs: readonly string[];
  readonly say: (word: string, signal?: AbortSignal) => Promise<string>;
}

function subject(options: Partial<WorkThreadOptions> = {}): Subject {
  const clock = createManualClock(0);
  const logs: string[] = [];
  const thread = new WorkThread<string, Echo>({
    clock,
    workerUrl: echo,
    subject: "words",
    workMsMax,
    memoryMbMax: 64,
    lineMax: 8,
    idleMsMax,
    log: (message) => void logs.push(message),
    ...options,
  });
  onTestFinished(() => thread.close());
  const say = async (word: string, signal?: AbortSignal): Promise<string> => {
    const outcome = await thread.run(word, signal);
    return outcome.type === "lost" ? `lost: ${outcome.why}` : outcome.word;
  };
  return { thread, clock, logs, say };
}

function dataUrl(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The kind and the message of what a promise was rejected with. */
function refusalOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (thrown: unknown) =>
      thrown instanceof HearthError ? `${thrown.kind}: ${thrown.message}` : String(thrown),
  );
}

async function threadIdOf({ thread }: Subject): Promise<number> {
  const outcome = await thread.run("where");
  if (outcome.type === "lost") throw new Error("lost");
  return outcome.threadId;
}

describe("a thread for work", () => {
  it("answers in the order of asking", async () => {
    const { say } = subject();
    const told: string[] = [];
    await Promise.all(["a", "b", "c"].map(async (word) => told.push(await say(word))));
    expect(told).toEqual(["a", "b", "c"]);
  });

  it.each(["die", "throw"])("that meets its end (%s) loses that piece and no other", async (word) => {
    const { say } = subject();
    const told = await Promise.all([say("a"), say(word), say("b"), say(word), say("c")]);
    expect(told).toEqual(["a", "lost: death", "b", "lost: death", "c"]);
  });

  it("tells the log what ended it", async () => {
    const { say, logs } = subject();
    await say("throw");
    expect(logs).toEqual(["thread of the words: thrown within"]);
  });

  it("is ended when a piece takes longer than its time, and the next is answered by another", async () => {
    const { say, clock } = subject();
    const [hanging, next] = [say("hang"), say("next")];
    await clock.whenWaiting(workMsMax);
    clock.advance(workMsMax);
    expect([await hanging, await next]).toEqual(["lost: time", "next"]);
  });

  it("gives a piece its time from when it is in hand, not from when it was asked", async () => {
    const { say, clock } = subject();
    const [first, second] = [say("hang"), say("hang")];
    await clock.whenWaiting(workMsMax);
    clock.advance(workMsMax);
    expect(await first).toBe("lost: time");
    await clock.whenWaiting(workMsMax);
    clock.advance(workMsMax);
    expect(await second).toBe("lost: time");
  });

  it("that does not start fails whoever waits, and is not started for ever", async () => {
    const missing = subject({ workerUrl: new URL("file:///missing/worker.js") });
    const refusals = await Promise.all(["a", "b"].map((word) => refusalOf(missing.say(word))));
    expect(refusals).toEqual(Array(2).fill("internal: An internal error occurred."));
    expect(missing.logs).toHaveLength(2);
  });

  it("refuses at once when its line is full", async () => {
    const { say, clock } = subject({ lineMax: 2 });
    const hanging = say("hang");
    await clock.whenWaiting(workMsMax);
    const waiting = [say("a"), say("b")];
    expect(await refusalOf(say("c"))).toContain("overloaded: Too many words are waiting");
    clock.advance(workMsMax);
    expect([await hanging, ...(await Promise.all(waiting))]).toEqual(["lost: time", "a", "b"]);
  });

  it("does not work a piece whose asker has left the line, nor one who left before", async () => {
    const { thread, say, clock } = subject();
    const hanging = say("hang");
    await clock.whenWaiting(workMsMax);
    const leaving = new AbortController();
    const left = refusalOf(say("left", leaving.signal));
    leaving.abort(new Error("gone"));
    expect(await left).toBe("Error: gone");
    expect(await refusalOf(say("left", leaving.signal))).toBe("Error: gone");
    const next = thread.run("next");
    clock.advance(workMsMax);
    expect(await hanging).toBe("lost: time");
    expect(await next).toMatchObject({ word: "next", told: 1 });
  });

  it("lets the asker of the piece in hand go at once, and works on", async () => {
    const all = subject();
    const id = await threadIdOf(all);
    const leaving = new AbortController();
    const left = refusalOf(all.say("a", leaving.signal));
    leaving.abort(new Error("gone"));
    expect(await left).toBe("Error: gone");
    expect(await threadIdOf(all)).toBe(id);
  });

  it("ends when nothing was asked of it for a while, and starts again when something is", async () => {
    const all = subject();
    const id = await threadIdOf(all);
    all.clock.advance(idleMsMax - 1);
    expect(await threadIdOf(all)).toBe(id);
    all.clock.advance(idleMsMax - 1);
    expect(await threadIdOf(all)).toBe(id);
    all.clock.advance(idleMsMax);
    expect(await threadIdOf(all)).not.toBe(id);
  });

  it("refuses, when it is closed, what it has in hand, what waits and what comes", async () => {
    const { thread, say, clock } = subject();
    const asked = [say("hang"), say("a")].map(refusalOf);
    await clock.whenWaiting(workMsMax);
    await thread.close();
    const closing = "overloaded: The server is shutting down. Please try again later.";
    expect(await Promise.all([...asked, refusalOf(say("b"))])).toEqual(Array(3).fill(closing));
  });
});
