/** The outcome of a deferred completion. */
export type DeferredOutcome =
  | { readonly state: "pending" }
  /** JSON text of the whole answer. */
  | { readonly state: "done"; readonly answer: string }
  /** JSON text of the error. */
  | { readonly state: "failed"; readonly failure: string };

/** The outcome of one that has ended. */
export type EndedOutcome = Exclude<DeferredOutcome, { state: "pending" }>;
