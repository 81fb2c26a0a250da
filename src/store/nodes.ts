import type { Statement } from "./commit.js";

/** The servers that share a database. */
export interface NodeStore {
  /** Returns the numbers of the other servers, also of those that have ended. */
  others(): Promise<readonly number[]>;
  /** Removes a server that has ended. The commit fails with `conflict` while it runs, or when another one has removed it. */
  removal(id: number): Statement;
}
