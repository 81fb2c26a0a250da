/**
 * The state of a run. `aborted`: its client left. `failed`: it ended with an error. `interrupted`: the process died, or its job
 * was returned to the queue to start again; an interrupted run costs nothing.
 */
export type RunState = "running" | "completed" | "aborted" | "failed" | "interrupted";

/** The states of a request: `queued` while it waits for its model or a slot, `cancelled` when the operator ended it, else of its run. */
export const requestStatuses = [
  "queued",
  "running",
  "completed",
  "failed",
  "aborted",
  "cancelled",
  "interrupted",
] as const satisfies readonly ("queued" | "cancelled" | RunState)[];

export type RequestStatus = (typeof requestStatuses)[number];
