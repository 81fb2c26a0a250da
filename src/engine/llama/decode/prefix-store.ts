/**
 * Evaluated prefixes on disk: the KV cache of a long prompt, kept when its slot is given to somebody else or the server
 * stops, so that the next request of the same team that begins alike loads in milliseconds what took seconds to evaluate.
 * Owns one folder (mode 700) of state files (mode 600), bounded in bytes, the longest unused going first; the system's page
 * cache keeps the recent ones in memory. An entry is only ever offered to its own team, model file and library version.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  chmodSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { LlamaContextSequence } from "node-llama-cpp";
import { z } from "zod";

/** Whose prefix it is, and made by what; state files of another model must never be loaded. */
export interface PrefixOwner {
  readonly fingerprint: string;
  readonly teamId: string;
}

interface Entry extends PrefixOwner {
  readonly id: string;
  readonly tokens: Uint32Array;
  readonly bytes: number;
  /** Order of use; larger is later. */
  used: number;
}

const sidecar = z.object({ fingerprint: z.string(), teamId: z.string(), tokens: z.string() });

export interface StoredPrefix {
  /** Leading tokens in common with the prompt. */
  readonly shared: number;
  /** Loads the state into a sequence; afterwards it holds the stored tokens. @returns false when the file is unusable. */
  load(sequence: LlamaContextSequence): Promise<boolean>;
}

export class PrefixStore {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #lastUse = 0;

  /** Opens the folder and takes over what an earlier process left there; whatever is not whole is removed. */
  constructor(folder: string, bytesMax: number) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = new Set(readdirSync(folder));
    for (const name of names) {
      const id = name.replace(/\.(json|state)$/, "");
      if (names.has(`${id}.json`) && names.has(`${id}.state`)) this.#takeOver(id);
      else rmSync(join(folder, name), { force: true });
    }
    this.#makeRoom(0);
  }

  /** Bytes of all state files. */
  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** The owner's entry with the longest prefix in common with the prompt; null when none shares a token. */
  find(owner: PrefixOwner, prompt: Uint32Array): StoredPrefix | null {
    let best: Entry | null = null;
    let shared = 0;
    for (const entry of this.#entries.values()) {
      if (!owns(owner, entry)) continue;
      const common = commonPrefix(entry.tokens, prompt);
      if (common > shared) [best, shared] = [entry, common];
    }
    if (best === null) return null;
    const entry = best;
    return { shared, load: (sequence) => this.#load(entry, sequence) };
  }

  /** Writes what a sequence holds, unless it is stored already. Failing to is no error: it is a cache. */
  async save(owner: PrefixOwner, sequence: LlamaContextSequence): Promise<void> {
    const tokens = Uint32Array.from(sequence.contextTokens);
    const known = this.find(owner, tokens);
    if (tokens.length === 0 || known?.shared === tokens.length) return;
    const id = identify(owner, tokens);
    const [state, draft] = [this.#path(id, "state"), this.#path(id, "draft")];
    try {
      const { fileSize } = await sequence.saveStateToFile(draft);
      if (fileSize > this.#bytesMax) throw new Error("larger than the whole cache");
      chmodSync(draft, 0o600);
      this.#makeRoom(fileSize);
      const about = { ...owner, tokens: Buffer.from(tokens.buffer).toString("base64") };
      writeFileSync(this.#path(id, "json"), JSON.stringify(about), { mode: 0o600 });
      renameSync(draft, state);
      this.#dropCovered(owner, tokens);
      this.#entries.set(id, { ...owner, id, tokens, bytes: fileSize, used: ++this.#lastUse });
    } catch {
      for (const kind of ["state", "draft", "json"] as const) rmSync(this.#path(id, kind), { force: true });
    }
  }

  async #load(entry: Entry, sequence: LlamaContextSequence): Promise<boolean> {
    try {
      entry.used = ++this.#lastUse;
      await sequence.loadStateFromFile(this.#path(entry.id, "state"), { acceptRisk: true });
      return true;
    } catch {
      this.#remove(entry);
      await sequence.clearHistory();
      return false;
    }
  }

  #takeOver(id: string): void {
    try {
      const about = sidecar.parse(JSON.parse(readFileSync(this.#path(id, "json"), "utf8")));
      const raw = Buffer.from(about.tokens, "base64");
      const tokens = new Uint32Array(Uint8Array.from(raw).buffer);
      const { size, mtimeMs } = statSync(this.#path(id, "state"));
      this.#entries.set(id, { ...about, id, tokens, bytes: size, used: mtimeMs - Number.MAX_SAFE_INTEGER });
    } catch {
      this.#removeFiles(id);
    }
  }

  /** A prefix that the new entry holds as well is of no more use. */
  #dropCovered(owner: PrefixOwner, tokens: Uint32Array): void {
    for (const entry of [...this.#entries.values()])
      if (owns(owner, entry) && commonPrefix(entry.tokens, tokens) === entry.tokens.length)
        this.#remove(entry);
  }

  #makeRoom(bytes: number): void {
    const oldest = [...this.#entries.values()].sort((a, b) => a.used - b.used);
    for (const entry of oldest) {
      if (this.bytes + bytes <= this.#bytesMax) return;
      this.#remove(entry);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#removeFiles(entry.id);
  }

  #removeFiles(id: string): void {
    for (const kind of ["json", "state"] as const) rmSync(this.#path(id, kind), { force: true });
  }

  #path(id: string, kind: "state" | "json" | "draft"): string {
    return join(this.#folder, `${id}.${kind}`);
  }
}

function identify(owner: PrefixOwner, tokens: Uint32Array): string {
  const hash = createHash("sha256").update(JSON.stringify([owner.fingerprint, owner.teamId]));
  return hash.update(new Uint8Array(tokens.buffer)).digest("hex").slice(0, 32);
}

function owns(owner: PrefixOwner, entry: PrefixOwner): boolean {
  return owner.teamId === entry.teamId && owner.fingerprint === entry.fingerprint;
}

/** How many leading tokens two prompts have in common. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared += 1;
  return shared;
}
