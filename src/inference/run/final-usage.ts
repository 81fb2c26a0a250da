/** The usage of a run that has ended: nothing where the server is at fault, and with what the run is charged. */
import type { ErrorKind } from "../../core/errors.js";
import { HearthError } from "../../core/errors.js";
import type { Ticks } from "../../core/money.js";
import { noUsage, type Usage } from "../../core/usage.js";
import type { Execution } from "./execution.js";

/** What neither the request nor the model has caused: an error of the server or of an engine, a full queue, the end of the server. */
const faults: ReadonlySet<ErrorKind> = new Set(["internal", "overloaded", "model_unavailable", "conflict"]);

/**
 * Whether a run has no answer because of a fault of the server or of its engine.
 * @param isComplete whether everything that was requested was produced
 */
export function isServerFault(
  { failure, signal }: Pick<Execution, "failure" | "signal">,
  isComplete: boolean,
): boolean {
  const reason: unknown = failure ?? (isComplete ? null : signal.reason);
  return reason instanceof HearthError && faults.has(reason.kind);
}

/** Returns the usage of a run that costs nothing and counts nowhere. The runs of its server calls are charged by themselves. */
export function dropTokens({ serverCalls, serverCallTicks }: Usage): Usage {
  return { ...noUsage, serverCalls, serverCallTicks };
}

/** Returns a usage with what its run is charged, server calls included. */
export function withCharge(usage: Usage, ownTicks: Ticks): Usage {
  return { ...usage, chargedTicks: ownTicks + (usage.serverCallTicks ?? 0) };
}
