import { describe, expect, it } from "vitest";
import {
  initialState,
  onServerExit,
  onHealthy,
  onListening,
  onStopRequest,
  type RestartDecision,
  type ServerExit,
  type SupervisorState,
} from "../../../src/cli/server/restart-policy.js";

const abort: ServerExit = { kind: "signal", signal: "SIGABRT" };

/** Lets servers crash one after the other, each after the events of `serve`. */
function crashes(
  count: number,
  serve: (before: SupervisorState) => SupervisorState,
): readonly RestartDecision[] {
  const decisions: RestartDecision[] = [];
  let supervision = initialState;
  for (let nth = 0; nth < count; nth += 1) {
    const [after, decision] = onServerExit(serve(supervision), abort);
    supervision = after;
    decisions.push(decision);
  }
  return decisions;
}

function waits(decisions: readonly RestartDecision[]): readonly (number | null)[] {
  return decisions.map((decision) => (decision.action === "restart" ? decision.afterMs : null));
}

describe("a server that was not requested to stop", () => {
  it.each([0, 1, 2, 7])(
    "exits with %i before it has listened: the supervisor exits with the same code, without a notice",
    (code) => {
      const [, decision] = onServerExit(initialState, { kind: "exit", code });
      expect(decision).toEqual({ action: "exit", code, notice: null });
    },
  );

  it("exits with 0 after it has listened: the supervisor does, too", () => {
    const [, decision] = onServerExit(onListening(initialState), { kind: "exit", code: 0 });
    expect(decision).toEqual({ action: "exit", code: 0, notice: null });
  });

  const killed: readonly ServerExit[] = [
    ...["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGKILL"].map(
      (signal) => ({ kind: "signal", signal }) as const,
    ),
    // 1 and 7: Node.js ends with them after an uncaught error.
    ...[1, 7, 132, 134, 135, 139, 0xc0000005].map((code) => ({ kind: "exit", code }) as const),
    { kind: "not started", reason: "spawn EAGAIN" },
  ];
  it.each(killed)("is restarted after half a second if it crashed: %o", (end) => {
    const [, decision] = onServerExit(onListening(initialState), end);
    expect(decision).toMatchObject({ action: "restart", afterMs: 500 });
  });

  it("is not restarted if it was ended by a signal that is not a crash", () => {
    const [, decision] = onServerExit(onListening(initialState), { kind: "signal", signal: "SIGHUP" });
    expect(decision).toEqual({ action: "exit", code: 1, notice: "the server was terminated (SIGHUP)" });
  });

  it("is restarted with a delay that doubles after every crash up to half a minute, without limit once it has listened", () => {
    const expected = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];
    expect(waits(crashes(12, onListening))).toEqual(expected);
  });

  it("is restarted after half a second again if it had listened for a minute", () => {
    const servedLong = (before: SupervisorState): SupervisorState => onHealthy(onListening(before));
    expect(waits(crashes(3, servedLong))).toEqual([500, 500, 500]);
  });

  it("is given up after ten consecutive crashes before listening, with exit code 1 and one notice", () => {
    const decisions = crashes(10, (before) => before);
    expect(waits(decisions.slice(0, 9))).not.toContain(null);
    expect(decisions.at(-1)).toEqual({
      action: "exit",
      code: 1,
      notice: "the server crashed 10 times in a row before it listened (SIGABRT); giving up",
    });
  });

  it("has its failed starts counted from zero once it has listened", () => {
    let nth = 0;
    const fifthListens = (before: SupervisorState): SupervisorState =>
      (nth += 1) === 5 ? onListening(before) : before;
    const decisions = crashes(15, fifthListens);
    expect(decisions.map(({ action }) => action).indexOf("exit")).toBe(14);
  });

  it("is restarted with a notice of the cause and the delay", () => {
    const notices = crashes(2, onListening).map(({ notice }) => notice);
    expect(notices).toEqual([
      "the server crashed (SIGABRT); restarting in 0.5 s",
      "the server crashed (SIGABRT); restarting in 1 s",
    ]);
  });
});

describe("a server that was requested to stop", () => {
  const stopping = onStopRequest(onListening(initialState));

  it("is never restarted, and the supervisor exits with its code", () => {
    expect(onServerExit(stopping, { kind: "exit", code: 0 })[1]).toEqual({
      action: "exit",
      code: 0,
      notice: null,
    });
    expect(onServerExit(stopping, { kind: "exit", code: 1 })[1]).toEqual({
      action: "exit",
      code: 1,
      notice: null,
    });
  });

  it("has stopped normally if the signal ended it before it could handle the signal", () => {
    const [, decision] = onServerExit(onStopRequest(initialState), { kind: "signal", signal: "SIGTERM" });
    expect(decision).toEqual({ action: "exit", code: 0, notice: null });
  });

  it("and crashes while stopping is reported, with exit code 1", () => {
    const notice = "the server crashed (SIGABRT) while it was stopping";
    expect(onServerExit(stopping, abort)[1]).toEqual({ action: "exit", code: 1, notice });
  });

  it("twice is killed without a notice, with exit code 1", () => {
    const [, decision] = onServerExit(onStopRequest(stopping), { kind: "signal", signal: "SIGKILL" });
    expect(decision).toEqual({ action: "exit", code: 1, notice: null });
  });
});
