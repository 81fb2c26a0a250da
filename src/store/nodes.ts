/** The servers that share a database: which there are, and which of them does what only one may do. */
import type { Statement } from "./commit.js";

export interface NodeStore {
  /** Whether other servers can use the database. */
  readonly isShared: boolean;
  /** Returns the numbers of the other servers, also of those that have ended. */
  others(): Promise<readonly number[]>;
  /** Removes a server that has ended. The commit fails with `conflict` while it runs, or when another one has removed it. */
  removal(id: number): Statement;
  /**
   * Returns whether this server does the task. The first that asks does it until it ends, or its connection to the database is lost;
   * then another one does.
   */
  leads(task: string): Promise<boolean>;
  /** Calls `action` unless another server is doing the same. @returns whether it was called. */
  exclusively(task: string, action: () => Promise<void>): Promise<boolean>;
}

/** For a server that is the only one that uses its database. */
export const onlyNode: NodeStore = {
  isShared: false,
  others: () => Promise.resolve([]),
  removal() {
    throw new Error("no other server uses the database");
  },
  leads: () => Promise.resolve(true),
  async exclusively(_, action) {
    await action();
    return true;
  },
};
