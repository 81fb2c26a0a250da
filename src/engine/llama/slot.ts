/**
 * A slot of a loaded model: one sequence of its context and the generation in it. What a sequence's KV cache holds stays
 * after the generation, for the next request of the same team that begins alike; another team never continues on it.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Generation } from "./generation.js";
import type { SeededJob } from "./protocol.js";
import type { Resident } from "./resident.js";

export interface SequenceSlot {
  readonly id: number;
  readonly sequence: LlamaContextSequence;
  /** Whose tokens the cache holds. */
  teamId: string | null;
  /** Tick of the last use: the oldest is taken over first. */
  lastUsed: number;
  generation: Generation | null;
}

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

/** The free slot that holds most of the job's prompt; else an empty one, else the one unused for longest; null: none is free. */
export function chooseSlot(slots: readonly SequenceSlot[], decode: SeededJob): SequenceSlot | null {
  let best: SequenceSlot | null = null;
  let bestRank: readonly number[] = [];
  for (const slot of slots) {
    if (slot.generation !== null) continue;
    const rank = [
      worthKeeping(sharedPrefix(slot, decode), decode),
      slot.sequence.nextTokenIndex === 0 ? 1 : 0,
      -slot.lastUsed,
      -slot.id,
    ];
    if (best !== null && compare(rank, bestRank) <= 0) continue;
    best = slot;
    bestRank = rank;
  }
  return best;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** A few tokens in common (the template's own) are no reason to overwrite a longer cache while an empty slot is free. */
function worthKeeping(shared: number, decode: SeededJob): number {
  return shared >= 32 || shared * 10 >= decode.prompt.tokens.length ? shared : 0;
}

/** Tokens of the prompt that the slot holds for the same team; at least one is always left to evaluate. */
function sharedPrefix(slot: SequenceSlot, decode: SeededJob): number {
  if (slot.teamId !== decode.teamId) return 0;
  const prompt = decode.prompt.tokens;
  const held = slot.sequence.contextTokens;
  const most = Math.min(held.length, prompt.length - 1);
  let shared = 0;
  while (shared < most && held[shared] === prompt[shared]) shared += 1;
  return shared;
}

/** Cuts the slot's cache back to what it shares with the prompt. @returns how many tokens that is. */
export async function adapt(slot: SequenceSlot, decode: SeededJob): Promise<number> {
  const { sequence } = slot;
  const shared = sharedPrefix(slot, decode);
  // A recurrent or sliding-window state cannot be cut; the library would evaluate the kept part again, unasked.
  const keep = sequence.needsCheckpoints && shared < sequence.nextTokenIndex ? 0 : shared;
  if (keep === 0) await sequence.clearHistory();
  else
    await sequence.adaptStateToTokens(Array.from(decode.prompt.tokens.subarray(0, keep)) as Token[], false);
  return sequence.nextTokenIndex;
}
