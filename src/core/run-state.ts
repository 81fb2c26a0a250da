/**
 * How a run ended: `running` until it has; `completed`; `aborted` by its client; `failed` with an error; `interrupted` when
 * the process died before it could say, or when its work was put back to be begun anew. What was interrupted costs nothing.
 */
export type RunState = "running" | "completed" | "aborted" | "failed" | "interrupted";
