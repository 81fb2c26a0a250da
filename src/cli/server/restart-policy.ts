/**
 * Whether a server process that ended is started again, and when: pure events on plain state, with no clock and no process.
 * supervise.ts tells what happened and does what is decided here. A server that ends by its own decision is done; one that
 * was killed or died in native code comes back, each time after a longer wait.
 */

const waitMsLeast = 500;
const waitMsMost = 30_000;
/** Deaths in a row of servers that never listened, after which there is no hope. */
const stillbornMax = 10;
/** Service of this length clears what was before: the next death waits the least time again. */
export const healthyMs = 60_000;

/** How native code dies; SIGKILL is the kernel's when memory is short. */
const deadly = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGKILL"]);
/** The same as a shell between tells them: 128 and the signal's number. */
const deadlyCodes = new Set([132, 133, 134, 135, 136, 137, 139]);
/** From here on an exit code is a Windows exception. */
const windowsExceptions = 0xc0000000;
/** A server that is asked to stop before it can hear of it ends with the very signal. */
const stopSignals = new Set(["SIGINT", "SIGTERM"]);

/** What the supervisor remembers. */
export interface Supervision {
  /** The present server has listened. */
  readonly listened: boolean;
  /** Deaths since the last healthy service. */
  readonly deaths: number;
  /** Deaths in a row of servers that never listened. */
  readonly stillborn: number;
  /** How often the operator asked to stop. */
  readonly stops: number;
}

/** How a server process ended: with an exit code, by a signal, or it could not even be started. */
export type ServerEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "not started"; readonly reason: string };

/** What to do about it; `notice` is one line for the operator. */
export type Decision =
  | { readonly action: "restart"; readonly afterMs: number; readonly notice: string }
  | { readonly action: "exit"; readonly code: number; readonly notice: string | null };

/** Before the first server. */
export const atStart: Supervision = { listened: false, deaths: 0, stillborn: 0, stops: 0 };

/** The server answers. */
export function onListening(before: Supervision): Supervision {
  return { ...before, listened: true, stillborn: 0 };
}

/** The server has answered for `healthyMs`. */
export function onHealthy(before: Supervision): Supervision {
  return { ...before, deaths: 0 };
}

/** The operator asks to stop. */
export function onStop(before: Supervision): Supervision {
  return { ...before, stops: before.stops + 1 };
}

/** The server's process is gone. */
export function onEnd(before: Supervision, end: ServerEnd): readonly [Supervision, Decision] {
  if (before.stops > 0) return [before, stopped(before.stops, end)];
  if (end.kind === "exit" && !isDeadly(end.code)) return [before, exit(end.code, null)];
  if (end.kind === "signal" && !deadly.has(end.signal))
    return [before, exit(1, `the server was ended (${end.signal})`)];
  const deaths = before.deaths + 1;
  const stillborn = before.listened ? 0 : before.stillborn + 1;
  const after = { ...before, listened: false, deaths, stillborn };
  if (stillborn >= stillbornMax)
    return [
      after,
      exit(1, `the server died ${stillborn} times in a row before it listened (${told(end)}); giving up`),
    ];
  const afterMs = Math.min(waitMsMost, waitMsLeast * 2 ** (deaths - 1));
  const notice = `the server died (${told(end)}); starting again in ${afterMs / 1000} s`;
  return [after, { action: "restart", afterMs, notice }];
}

/** A second request to stop is answered with force: that is no fault to tell of. */
function stopped(stops: number, end: ServerEnd): Decision {
  if (end.kind === "exit" && !isDeadly(end.code)) return exit(end.code, null);
  if (end.kind === "signal" && stopSignals.has(end.signal)) return exit(0, null);
  return exit(1, stops > 1 ? null : `the server died (${told(end)}) while it was stopping`);
}

function exit(code: number, notice: string | null): Decision {
  return { action: "exit", code, notice };
}

function isDeadly(code: number): boolean {
  return deadlyCodes.has(code) || code >= windowsExceptions;
}

function told(end: ServerEnd): string {
  if (end.kind === "exit") return `exit code ${end.code}`;
  return end.kind === "signal" ? end.signal : end.reason;
}
