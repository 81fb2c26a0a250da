import { stat } from "node:fs/promises";

/** What was read of files, kept until one of them changes: the header of a model with a large vocabulary takes a tenth of a second. */
export class FileCache<Value> {
  #kept = new Map<string, Kept<Value>>();
  #seen = new Map<string, Kept<Value>>();

  /** Returns what `read` returned for the same files in the same state, or calls it. @param files the first one identifies what is read */
  async get(files: readonly string[], read: () => Promise<Value>): Promise<Value> {
    const [key = ""] = files;
    const state = (await Promise.all(files.map(readState))).join("\n");
    const kept = this.#kept.get(key);
    const current = kept?.state === state ? kept : { state, value: await read() };
    this.#seen.set(key, current);
    return current.value;
  }

  /** Forgets what was not asked for since the last call. */
  sweep(): void {
    this.#kept = this.#seen;
    this.#seen = new Map();
  }
}

interface Kept<Value> {
  readonly state: string;
  readonly value: Value;
}

async function readState(file: string): Promise<string> {
  const stats = await stat(file).catch(() => null);
  return stats === null ? "absent" : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
