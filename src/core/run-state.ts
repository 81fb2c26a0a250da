/**
 * The state of a run. `aborted`: its client left. `failed`: it ended with an error. `interrupted`: the process died, or its job
 * was returned to the queue to start again; an interrupted run costs nothing.
 */
export type RunState = "running" | "completed" | "aborted" | "failed" | "interrupted";
