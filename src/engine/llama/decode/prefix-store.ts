/**
 * Stores evaluated prefixes on disk: the KV cache of a long prompt, saved when its slot is reused or the server stops. A later request
 * of the same team with the same prefix loads in milliseconds what took seconds to evaluate. Owns one folder (mode 700) of state files
 * (mode 600), limited in bytes; the least recently used entry is removed first. An entry is only used for the same team, model file and
 * library version, and where reading it is faster than evaluating its tokens. Where the compiled library is there, the states that were
 * used last are in memory, too.
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
import type { NativeContext } from "../../native/native-context.js";

/** The team and the model state (Resident.stateKey) of a prefix; state files of another model must never be loaded. */
export interface PrefixOwner {
  readonly fingerprint: string;
  readonly teamId: string;
}

interface Entry extends PrefixOwner {
  readonly id: string;
  readonly tokens: Uint32Array;
  readonly bytes: number;
  /** Order of use; larger is more recent. */
  used: number;
}

const sidecar = z.object({ fingerprint: z.string(), teamId: z.string(), tokens: z.string() });

/** A sequence whose state is saved or loaded, and what the compiled library can do with its context; null: nothing. */
export interface StoredSequence {
  readonly sequence: LlamaContextSequence;
  readonly native: NativeContext | null;
}

export interface PrefixStoreSettings {
  readonly folder: string;
  /** Limit on the bytes of all files. */
  readonly bytesMax: number;
  /** Limit on the bytes that are in memory, too. */
  readonly memoryBytesMax: number;
  /** Returns a time in milliseconds that never goes back. */
  readonly now: () => number;
}

export interface StoredPrefix {
  /** Number of leading tokens shared with the prompt. */
  readonly shared: number;
  /** Number of tokens of the stored state. */
  readonly length: number;
  /** @param evaluationMs estimated time to evaluate what is not loaded; null when it was not measured */
  isFaster(evaluationMs: number | null): boolean;
  /** Loads the stored state into a sequence. @returns false when the file is unusable. */
  load(into: StoredSequence): Promise<boolean>;
}

export class PrefixStore {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  readonly #inMemory: StatesInMemory;
  readonly #cost = new LoadingCost();
  readonly #now: () => number;
  #lastUse = 0;

  /** Opens the folder and restores the entries of an earlier process; removes incomplete files. */
  constructor({ folder, bytesMax, memoryBytesMax, now }: PrefixStoreSettings) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#inMemory = new StatesInMemory(memoryBytesMax);
    this.#now = now;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = new Set(readdirSync(folder));
    for (const name of names) {
      const id = name.replace(/\.(json|state)$/, "");
      if (names.has(`${id}.json`) && names.has(`${id}.state`)) this.#restore(id);
      else rmSync(join(folder, name), { force: true });
    }
    this.#evictFor(0);
  }

  /** Total bytes of all state files. */
  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** Total bytes of the states that are in memory, too. */
  get bytesInMemory(): number {
    return this.#inMemory.bytes;
  }

  /** Returns the owner's entry that shares the longest prefix with the prompt; null when none shares a token. */
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
    return {
      shared,
      length: entry.tokens.length,
      isFaster: (ms) => this.#inMemory.has(entry.id) || this.#cost.isFaster({ bytes: entry.bytes, ms }),
      load: (into) => this.#load(entry, into),
    };
  }

  /**
   * Saves the state of a sequence, unless it is stored already or would be slower to read than to evaluate. Ignores failures, since this
   * is a cache.
   * @param evaluation of the whole sequence; a state that is larger than the limit is not written at all.
   */
  async save(owner: PrefixOwner, from: StoredSequence, evaluation: PrefixEvaluation): Promise<void> {
    const { sequence } = from;
    if (evaluation.bytes > this.#bytesMax || !this.#cost.isFaster(evaluation)) return;
    const tokens = Uint32Array.from(sequence.contextTokens);
    const known = this.find(owner, tokens);
    if (tokens.length === 0 || known?.shared === tokens.length) return;
    const id = identify(owner, tokens);
    const [state, draft] = [this.#path(id, "state"), this.#path(id, "draft")];
    try {
      const { fileSize } = await sequence.saveStateToFile(draft);
      if (fileSize > this.#bytesMax) throw new Error("larger than the whole cache");
      chmodSync(draft, 0o600);
      this.#evictFor(fileSize);
      const about = { ...owner, tokens: Buffer.from(tokens.buffer).toString("base64") };
      writeFileSync(this.#path(id, "json"), JSON.stringify(about), { mode: 0o600 });
      renameSync(draft, state);
      this.#removeCovered(owner, tokens);
      this.#entries.set(id, { ...owner, id, tokens, bytes: fileSize, used: ++this.#lastUse });
      this.#keepInMemory(id, from, fileSize);
    } catch {
      for (const kind of ["state", "draft", "json"] as const) rmSync(this.#path(id, kind), { force: true });
    }
  }

  async #load(entry: Entry, into: StoredSequence): Promise<boolean> {
    const { sequence, native } = into;
    try {
      entry.used = ++this.#lastUse;
      // Drops the checkpoints of other tokens, too.
      await sequence.clearHistory();
      const state = this.#inMemory.take(entry.id);
      if (state === null || native?.writeState(sequence, state, entry.tokens) !== true)
        await this.#loadFile(entry, into);
      await sequence.takeCheckpoint();
      return true;
    } catch {
      this.#remove(entry);
      await sequence.clearHistory();
      return false;
    }
  }

  async #loadFile({ id, bytes }: Entry, into: StoredSequence): Promise<void> {
    const began = this.#now();
    await into.sequence.loadStateFromFile(this.#path(id, "state"), { acceptRisk: true });
    this.#cost.record(bytes, this.#now() - began);
    this.#keepInMemory(id, into, bytes);
  }

  /** @param bytes of the file, which has little more than the state */
  #keepInMemory(id: string, { sequence, native }: StoredSequence, bytes: number): void {
    if (native === null || !this.#inMemory.hasRoomFor(bytes)) return;
    const state = native.readState(sequence);
    if (state !== null) this.#inMemory.keep(id, state);
  }

  #restore(id: string): void {
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

  /** Removes entries that are prefixes of the new one. */
  #removeCovered(owner: PrefixOwner, tokens: Uint32Array): void {
    for (const entry of [...this.#entries.values()])
      if (owns(owner, entry) && commonPrefix(entry.tokens, tokens) === entry.tokens.length)
        this.#remove(entry);
  }

  #evictFor(bytes: number): void {
    const oldest = [...this.#entries.values()].sort((a, b) => a.used - b.used);
    for (const entry of oldest) {
      if (this.bytes + bytes <= this.#bytesMax) return;
      this.#remove(entry);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#inMemory.remove(entry.id);
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

/** Returns the number of leading tokens that two prompts share. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared += 1;
  return shared;
}

/** The states of the stored prefixes that were used last, in memory as well: one is written back in a fraction of the time of a file. */
class StatesInMemory {
  readonly #bytesMax: number;
  /** By the id of the entry, in the order of use. */
  readonly #states = new Map<string, ArrayBuffer>();
  #bytes = 0;

  /** @param bytesMax of all states together; 0 keeps none */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Total bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a state of this size would be kept. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= this.#bytesMax;
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  /** Keeps a state, in place of those that were used longest ago. */
  keep(id: string, state: ArrayBuffer): void {
    this.remove(id);
    if (!this.hasRoomFor(state.byteLength)) return;
    for (const oldest of this.#states.keys()) {
      if (this.#bytes + state.byteLength <= this.#bytesMax) break;
      this.remove(oldest);
    }
    this.#states.set(id, state);
    this.#bytes += state.byteLength;
  }

  /** Returns a state, which counts as used; null when it is not kept. */
  take(id: string): ArrayBuffer | null {
    const state = this.#states.get(id);
    if (state === undefined) return null;
    this.#states.delete(id);
    this.#states.set(id, state);
    return state;
  }

  remove(id: string): void {
    this.#bytes -= this.#states.get(id)?.byteLength ?? 0;
    this.#states.delete(id);
  }
}

// Decides whether reading an evaluated prefix from disk is faster than evaluating it again, by how long earlier reads took.

/** Reads of which the middle one counts: one that other work on the machine has disturbed changes nothing. */
const samplesMax = 5;
/** With fewer reads, reading counts as faster. */
const samplesMin = 3;
/** After so many refusals the reads are measured anew: the disk may have been busy. */
const refusalsMax = 16;

/** What reading a prefix saves. */
interface PrefixEvaluation {
  /** Bytes that are read. */
  readonly bytes: number;
  /** Estimated time to evaluate the tokens that need not be evaluated; null when it was not measured. */
  readonly ms: number | null;
}

class LoadingCost {
  #msPerByte: number[] = [];
  #refusals = 0;

  /** Records a read. */
  record(bytes: number, ms: number): void {
    this.#msPerByte.push(ms / Math.max(1, bytes));
    if (this.#msPerByte.length > samplesMax) this.#msPerByte.shift();
  }

  /** Returns whether a read is worth it. */
  isFaster({ bytes, ms }: PrefixEvaluation): boolean {
    const samples = [...this.#msPerByte].sort((a, b) => a - b);
    const middle = samples[Math.floor(samples.length / 2)];
    if (ms === null || middle === undefined || samples.length < samplesMin || middle * bytes < ms)
      return true;
    this.#refusals += 1;
    if (this.#refusals === refusalsMax) [this.#msPerByte, this.#refusals] = [[], 0];
    return false;
  }
}
