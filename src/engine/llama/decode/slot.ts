/**
 * A slot of a loaded model: one sequence of its context and the generation in it. What a sequence's KV cache holds stays
 * after the generation, for the next request of the same team that begins alike; another team never continues on it. Long
 * prefixes that lose their slot go to the prefix store.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Generation } from "./generation.js";
import { commonPrefix, type PrefixOwner, type PrefixStore } from "./prefix-store.js";
import type { SeededJob } from "../protocol.js";
import type { Resident } from "../load/resident.js";

export interface SequenceSlot {
  readonly id: number;
  readonly sequence: LlamaContextSequence;
  /** Whose tokens the cache holds. */
  teamId: string | null;
  /** Tick of the last use: the oldest is taken over first. */
  lastUsed: number;
  generation: Generation | null;
}

/** Prefixes shorter than this are evaluated again sooner than they are written and read. */
export const storedTokensMin = 128;

/** The empty slots of a model, in ascending order of their sequences. */
export function makeSlots(resident: Resident): readonly SequenceSlot[] {
  return resident.sequences.map((sequence, id) => ({
    id,
    sequence,
    teamId: null,
    lastUsed: 0,
    generation: null,
  }));
}

/** Who may continue on what a job of this team leaves in the cache. */
export function ownerOf(resident: Resident, teamId: string): PrefixOwner {
  return { fingerprint: resident.stateKey, teamId };
}

/**
 * The free slot that holds a good part of the job's prompt; else one beside slots that are busy, because llama.cpp puts only
 * consecutive sequences into one batch (four clients decode half as fast when they are scattered); else an empty one, else
 * the one unused for longest; null: none is free.
 */
export function chooseSlot(slots: readonly SequenceSlot[], decode: SeededJob): SequenceSlot | null {
  let best: SequenceSlot | null = null;
  let bestRank: readonly number[] = [];
  for (const slot of slots) {
    if (slot.generation !== null) continue;
    const shared = decode.deterministic ? 0 : worthKeeping(sharedPrefix(slot, decode), decode);
    const empty = slot.sequence.nextTokenIndex === 0 ? 1 : 0;
    const rank = [shared, busyNeighbours(slots, slot.id), empty, -slot.lastUsed, -slot.id];
    if (best !== null && compare(rank, bestRank) <= 0) continue;
    best = slot;
    bestRank = rank;
  }
  return best;
}

function busyNeighbours(slots: readonly SequenceSlot[], id: number): number {
  return [slots[id - 1], slots[id + 1]].filter((slot) => slot !== undefined && slot.generation !== null)
    .length;
}

/**
 * Makes a slot ready for a job: what it holds and would lose is stored first if it is long; what the store has and the slot
 * has not is loaded; the rest is cut back to what the prompt shares.
 * @returns how many tokens of the prompt the sequence holds now.
 */
export async function adapt(
  slot: SequenceSlot,
  decode: SeededJob,
  resident: Resident,
  store: PrefixStore | null,
): Promise<number> {
  const { sequence } = slot;
  const held = decode.deterministic ? 0 : sharedPrefix(slot, decode);
  const lost = sequence.nextTokenIndex - held;
  if (store !== null && slot.teamId !== null && lost >= storedTokensMin)
    await store.save(ownerOf(resident, slot.teamId), sequence);
  const stored = decode.deterministic
    ? null
    : store?.find(ownerOf(resident, decode.teamId), decode.prompt.tokens);
  if (stored != null && stored.shared >= held + storedTokensMin && (await stored.load(sequence)))
    slot.teamId = decode.teamId;
  return cutBack(slot, decode);
}

async function cutBack(slot: SequenceSlot, decode: SeededJob): Promise<number> {
  const { sequence } = slot;
  const shared = decode.deterministic ? 0 : sharedPrefix(slot, decode);
  // A recurrent or sliding-window state cannot be cut; the library would evaluate the kept part again, unasked.
  const keep = sequence.needsCheckpoints && shared < sequence.nextTokenIndex ? 0 : shared;
  if (keep === 0) await sequence.clearHistory();
  else
    await sequence.adaptStateToTokens(Array.from(decode.prompt.tokens.subarray(0, keep)) as Token[], false);
  return sequence.nextTokenIndex;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** A few tokens in common (the template's own) are no reason to place a generation badly. */
function worthKeeping(shared: number, decode: SeededJob): number {
  return shared >= 32 || shared * 2 >= decode.prompt.tokens.length ? shared : 0;
}

/** Tokens of the prompt that the slot holds for the same team; at least one is always left to evaluate. */
export function sharedPrefix(slot: SequenceSlot, decode: SeededJob): number {
  if (slot.teamId !== decode.teamId) return 0;
  const prompt = decode.prompt.tokens;
  return Math.min(commonPrefix(slot.sequence.contextTokens, prompt), prompt.length - 1);
}
