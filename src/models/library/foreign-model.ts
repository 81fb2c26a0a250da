/** A model that another program has on this machine. */
export interface ForeignModel {
  /** As the other program calls it. */
  readonly name: string;
  /** Where its files belong in the folder of models: publisher, repository. */
  readonly place: readonly [publisher: string, repository: string];
  /** Its files, all parts in order, then its projector if it has one. */
  readonly files: readonly { readonly path: string; readonly name: string }[];
  /** Another name for requests, such as `llama3.2:3b`; null: none. */
  readonly alias: string | null;
}

/** What of another program was not taken, and why. */
export interface Skipped {
  readonly name: string;
  /** A clause. */
  readonly reason: string;
}

export interface ForeignModels {
  readonly models: readonly ForeignModel[];
  readonly skipped: readonly Skipped[];
}

/** Bound on the entries of one folder. */
export const entriesMax = 10_000;
