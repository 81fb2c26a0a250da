import { describe, expect, it } from "vitest";
import {
  atStart,
  onEnd,
  onHealthy,
  onListening,
  onStop,
  type Decision,
  type ServerEnd,
  type Supervision,
} from "../../../src/cli/server/restart-policy.js";

const abort: ServerEnd = { kind: "signal", signal: "SIGABRT" };

/** Lets servers die one after the other, each after what `serve` makes of it. */
function deaths(count: number, serve: (before: Supervision) => Supervision): readonly Decision[] {
  const decisions: Decision[] = [];
  let supervision = atStart;
  for (let nth = 0; nth < count; nth += 1) {
    const [after, decision] = onEnd(serve(supervision), abort);
    supervision = after;
    decisions.push(decision);
  }
  return decisions;
}

function waits(decisions: readonly Decision[]): readonly (number | null)[] {
  return decisions.map((decision) => (decision.action === "restart" ? decision.afterMs : null));
}

describe("a server that nobody told to stop", () => {
  it.each([0, 1, 2, 7])(
    "ends by its own decision with %i: so does the supervisor, without a word",
    (code) => {
      const [, decision] = onEnd(onListening(atStart), { kind: "exit", code });
      expect(decision).toEqual({ action: "exit", code, notice: null });
    },
  );

  const killed: readonly ServerEnd[] = [
    ...["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGKILL"].map(
      (signal) => ({ kind: "signal", signal }) as const,
    ),
    ...[132, 134, 135, 139, 0xc0000005].map((code) => ({ kind: "exit", code }) as const),
    { kind: "not started", reason: "spawn EAGAIN" },
  ];
  it.each(killed)("is started again after half a second when it died: %o", (end) => {
    const [, decision] = onEnd(onListening(atStart), end);
    expect(decision).toMatchObject({ action: "restart", afterMs: 500 });
  });

  it("is not started again when it was ended by a signal that is no crash", () => {
    const [, decision] = onEnd(onListening(atStart), { kind: "signal", signal: "SIGHUP" });
    expect(decision).toEqual({ action: "exit", code: 1, notice: "the server was ended (SIGHUP)" });
  });

  it("is waited for twice as long after every death, up to half a minute, and never given up once it listened", () => {
    const expected = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];
    expect(waits(deaths(12, onListening))).toEqual(expected);
  });

  it("starts from half a second again after a minute of service", () => {
    const servedLong = (before: Supervision): Supervision => onHealthy(onListening(before));
    expect(waits(deaths(3, servedLong))).toEqual([500, 500, 500]);
  });

  it("is given up at the tenth death in a row without having listened, with exit code 1 and one sentence", () => {
    const decisions = deaths(10, (before) => before);
    expect(waits(decisions.slice(0, 9))).not.toContain(null);
    expect(decisions.at(-1)).toEqual({
      action: "exit",
      code: 1,
      notice: "the server died 10 times in a row before it listened (SIGABRT); giving up",
    });
  });

  it("has its deaths counted anew once it listened", () => {
    let nth = 0;
    const fifthListens = (before: Supervision): Supervision =>
      (nth += 1) === 5 ? onListening(before) : before;
    const decisions = deaths(15, fifthListens);
    expect(decisions.map(({ action }) => action).indexOf("exit")).toBe(14);
  });

  it("has every new start told with its cause and the wait", () => {
    const notices = deaths(2, onListening).map(({ notice }) => notice);
    expect(notices).toEqual([
      "the server died (SIGABRT); starting again in 0.5 s",
      "the server died (SIGABRT); starting again in 1 s",
    ]);
  });
});

describe("a server that was told to stop", () => {
  const told = onStop(onListening(atStart));

  it("is never started again, and its exit code is the supervisor's", () => {
    expect(onEnd(told, { kind: "exit", code: 0 })[1]).toEqual({ action: "exit", code: 0, notice: null });
    expect(onEnd(told, { kind: "exit", code: 1 })[1]).toEqual({ action: "exit", code: 1, notice: null });
  });

  it("has stopped well when the signal met it before it could hear of it", () => {
    const [, decision] = onEnd(onStop(atStart), { kind: "signal", signal: "SIGTERM" });
    expect(decision).toEqual({ action: "exit", code: 0, notice: null });
  });

  it("and dies while stopping, is told of, with exit code 1", () => {
    const notice = "the server died (SIGABRT) while it was stopping";
    expect(onEnd(told, abort)[1]).toEqual({ action: "exit", code: 1, notice });
  });

  it("twice, is ended by force without a word, with exit code 1", () => {
    const [, decision] = onEnd(onStop(told), { kind: "signal", signal: "SIGKILL" });
    expect(decision).toEqual({ action: "exit", code: 1, notice: null });
  });
});
