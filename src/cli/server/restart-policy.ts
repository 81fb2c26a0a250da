/**
 * Decides whether and when a server process that ended is restarted. Pure: events change plain state, without a clock or a
 * process. supervise.ts reports events and carries out the decisions. A server that exits normally, or that could not listen, is
 * not restarted; one that was killed, crashed in native code, or ended by an uncaught error after it had listened is restarted,
 * each time after a longer delay.
 */

const restartDelayMsMin = 500;
const restartDelayMsMax = 30_000;
/** Consecutive crashes before listening, after which the supervisor gives up. */
const failedStartsMax = 10;
/** After listening for this long, a server counts as healthy: the next crash waits the shortest delay again. */
export const healthyMs = 60_000;

/** Signals of crashes in native code; SIGKILL comes from the kernel when memory runs out. */
const crashSignals = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGKILL"]);
/** The same signals as a shell reports them: 128 plus the signal's number. */
const crashExitCodes = new Set([132, 133, 134, 135, 136, 137, 139]);
/** Exit codes from this value on are Windows exceptions. */
const windowsExceptionMin = 0xc0000000;
/** A server that gets one of these signals before it has installed its handlers ends with the signal. */
const stopSignals = new Set(["SIGINT", "SIGTERM"]);

/** State of the supervisor. */
export interface SupervisorState {
  /** Whether the current server has listened. */
  readonly hasListened: boolean;
  /** Crashes since a server was last healthy. */
  readonly crashes: number;
  /** Consecutive crashes of servers that never listened. */
  readonly failedStarts: number;
  /** How often the operator has requested a stop. */
  readonly stopRequests: number;
}

/** How a server process ended: with an exit code, by a signal, or it could not even be started. */
export type ServerExit =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "not started"; readonly reason: string };

/** What the supervisor does next; `notice` is one line for the operator. */
export type RestartDecision =
  | { readonly action: "restart"; readonly afterMs: number; readonly notice: string }
  | { readonly action: "exit"; readonly code: number; readonly notice: string | null };

/** State before the first server starts. */
export const initialState: SupervisorState = {
  hasListened: false,
  crashes: 0,
  failedStarts: 0,
  stopRequests: 0,
};

/** The server listens. */
export function onListening(before: SupervisorState): SupervisorState {
  return { ...before, hasListened: true, failedStarts: 0 };
}

/** The server has listened for `healthyMs`. */
export function onHealthy(before: SupervisorState): SupervisorState {
  return { ...before, crashes: 0 };
}

/** The operator requests a stop. */
export function onStopRequest(before: SupervisorState): SupervisorState {
  return { ...before, stopRequests: before.stopRequests + 1 };
}

/** The server process has ended. */
export function onServerExit(
  before: SupervisorState,
  end: ServerExit,
): readonly [SupervisorState, RestartDecision] {
  if (before.stopRequests > 0) return [before, decideWhileStopping(before.stopRequests, end)];
  if (end.kind === "exit" && !isCrash(before, end.code)) return [before, exit(end.code, null)];
  if (end.kind === "signal" && !crashSignals.has(end.signal))
    return [before, exit(1, `the server was terminated (${end.signal})`)];
  const crashes = before.crashes + 1;
  const failedStarts = before.hasListened ? 0 : before.failedStarts + 1;
  const after = { ...before, hasListened: false, crashes, failedStarts };
  if (failedStarts >= failedStartsMax)
    return [
      after,
      exit(
        1,
        `the server crashed ${failedStarts} times in a row before it listened (${describeExit(end)}); giving up`,
      ),
    ];
  const afterMs = Math.min(restartDelayMsMax, restartDelayMsMin * 2 ** (crashes - 1));
  const notice = `the server crashed (${describeExit(end)}); restarting in ${afterMs / 1000} s`;
  return [after, { action: "restart", afterMs, notice }];
}

/** A second stop request kills the server, so that its exit is not reported as a crash. */
function decideWhileStopping(stops: number, end: ServerExit): RestartDecision {
  if (end.kind === "exit" && !isCrashCode(end.code)) return exit(end.code, null);
  if (end.kind === "signal" && stopSignals.has(end.signal)) return exit(0, null);
  return exit(1, stops > 1 ? null : `the server crashed (${describeExit(end)}) while it was stopping`);
}

function exit(code: number, notice: string | null): RestartDecision {
  return { action: "exit", code, notice };
}

/** Before it listens, a server exits with an error of its settings, which a restart does not cure. */
function isCrash({ hasListened }: SupervisorState, code: number): boolean {
  return isCrashCode(code) || (hasListened && code !== 0);
}

function isCrashCode(code: number): boolean {
  return crashExitCodes.has(code) || code >= windowsExceptionMin;
}

function describeExit(end: ServerExit): string {
  if (end.kind === "exit") return `exit code ${end.code}`;
  return end.kind === "signal" ? end.signal : end.reason;
}
