/**
 * The contents of files on the simulated disk. A process that is dead writes nothing; a power cut also loses what was not synced: it
 * cuts contents that were being written, and brings back some that were removed.
 */
import { Readable } from "node:stream";
import type { ContentWriter, FileContents } from "../../../src/inference/files/contents.js";
import type { Chance } from "../figures/chance.js";
import type { Death } from "./disk.js";

const partial = ".partial";
/** How often a file cannot be written because the disk is full. */
const fullProbability = 0.01;

export class SimulatedFiles {
  /** Operations so far. */
  operations = 0;
  /** Operations that failed because the disk was full. */
  failures = 0;
  readonly #chance: Chance;
  readonly #death: () => Death | null;
  readonly #contents = new Map<string, Buffer>();
  /** What was removed since the folder was last synced. */
  readonly #removed = new Map<string, Buffer>();

  constructor(chance: Chance, death: () => Death | null) {
    this.#chance = chance;
    this.#death = death;
  }

  /** Returns the contents for one process. */
  open(): FileContents {
    let isDead = false;
    const alive = (): void => {
      isDead ||= this.#death() !== null;
      if (isDead) throw createError("EIO");
      this.operations += 1;
    };
    const remove = async (name: string): Promise<void> => {
      alive();
      const content = this.#contents.get(name);
      if (content === undefined) return;
      this.#contents.delete(name);
      this.#removed.set(name, content);
    };
    return {
      create: async (id) => {
        alive();
        this.#contents.set(id + partial, Buffer.alloc(0));
        return this.#writer(id, alive, remove);
      },
      read: async (id) => {
        alive();
        const content = this.#contents.get(id);
        if (content === undefined) throw createError("ENOENT");
        return Readable.from([content]);
      },
      remove,
      names: async () => {
        alive();
        return [...this.#contents.keys()];
      },
    };
  }

  #writer(id: string, alive: () => void, remove: (name: string) => Promise<void>): ContentWriter {
    let isOpen = true;
    return {
      write: async (chunk) => {
        alive();
        if (this.#chance.happens(fullProbability)) {
          this.failures += 1;
          throw createError("ENOSPC");
        }
        const before = this.#contents.get(id + partial) ?? Buffer.alloc(0);
        this.#contents.set(id + partial, Buffer.concat([before, chunk]));
      },
      finish: async () => {
        alive();
        this.#contents.set(id, this.#contents.get(id + partial) ?? Buffer.alloc(0));
        this.#contents.delete(id + partial);
        // The folder is synced.
        this.#removed.clear();
        isOpen = false;
      },
      discard: async () => {
        if (isOpen) await remove(id + partial).catch(() => undefined);
        isOpen = false;
      },
    };
  }

  /** Leaves what the next process finds. */
  recover(death: Death | null): void {
    if (death !== "power-cut") return;
    for (const [name, content] of this.#contents)
      if (name.endsWith(partial))
        this.#contents.set(name, content.subarray(0, this.#chance.between(0, content.length)));
    for (const [name, content] of this.#removed)
      if (this.#chance.happens(0.5)) this.#contents.set(name, content);
    this.#removed.clear();
  }

  /** Returns the ids of complete contents. */
  get complete(): readonly string[] {
    return [...this.#contents.keys()].filter((name) => !name.endsWith(partial));
  }
}

function createError(code: "EIO" | "ENOENT" | "ENOSPC"): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}
