/** The servers that share a database: which there are, and which of them does what only one may do. */
import type { Clock } from "../core/clock.js";
import type { Statement } from "./commit.js";

export interface NodeStore {
  /** Whether other servers can use the database. */
  readonly isShared: boolean;
  /** Returns the names of all servers; none where only one uses the database. */
  names(): Promise<readonly string[]>;
  /** Returns the servers that run, this one among them; none where only one uses the database. */
  running(): Promise<readonly RunningNode[]>;
  /** Returns the numbers of other servers that have ended. */
  ended(): Promise<readonly number[]>;
  /**
   * Removes a server that has ended, and ends what its connections were doing, so that it holds no rows and writes nothing more. The
   * commit fails with `conflict` while it runs, or when another one has removed it.
   */
  removal(id: number): readonly Statement[];
  /**
   * Returns whether this server does the task. The first that asks does it until it ends, or its connection to the database is lost;
   * then another one does.
   */
  leads(task: string): Promise<boolean>;
  /**
   * Reserves what only one may do at a time, until the returned function is called, or the connection to the database is lost.
   * @returns null while somebody does it, here or on another server.
   */
  hold(task: string): Promise<Release | null>;
}

type Release = () => void;

/** A server of several that share a database. */
export interface RunningNode {
  readonly name: string;
  /** Where it counts rate limits, for operators; null: it is not known. */
  readonly limitsPlace: string | null;
}

/** For a server that is the only one that uses its database. */
export function createOnlyNode(): NodeStore {
  const held = new Set<string>();
  return {
    isShared: false,
    names: () => Promise.resolve([]),
    running: () => Promise.resolve([]),
    ended: () => Promise.resolve([]),
    removal() {
      throw new Error("no other server uses the database");
    },
    leads: () => Promise.resolve(true),
    hold(task) {
      if (held.has(task)) return Promise.resolve(null);
      held.add(task);
      return Promise.resolve(() => void held.delete(task));
    },
  };
}

/** How often, and how many times, it is looked whether others have ended a task. */
const lookEveryMs = 100;
const looksMax = 300;

/** Does what only one server may do at a time, after those that do it now. @throws Error when they do not end. */
export async function inTurn<Result>(
  nodes: NodeStore,
  task: string,
  clock: Clock,
  action: () => Promise<Result>,
): Promise<Result> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const release = await nodes.hold(task);
    if (release === null) {
      await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve));
      continue;
    }
    try {
      return await action();
    } finally {
      release();
    }
  }
  throw new Error(`another server does not end what it does: ${task}`);
}

/** How long another server may take between writing a file to the shared folder and committing its row. */
const rowAfterFileMs = 60 * 60 * 1000;

/** Returns before when a file must have been written that is removed because it has no row. */
export function leftoversBefore({ isShared }: NodeStore, now: number): number {
  return isShared ? now - rowAfterFileMs : Infinity;
}
