/**
 * A slot of a loaded model: one sequence of its context and the generation that runs in it. The KV cache stays after the generation, so
 * that a later request of the same team with the same prefix can reuse it; another team never does. Long prefixes that lose their slot
 * are saved in the prefix store.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Generation } from "./generation.js";
import { keptTokens } from "./checkpoints.js";
import { commonPrefix, type PrefixOwner, type PrefixStore, type StoredPrefix } from "./prefix-store.js";
import { bestSlot } from "./slot-choice.js";
import type { SeededJob } from "../../language/seeded-job.js";
import type { Resident } from "../load/resident.js";

export interface SequenceSlot {
  readonly id: number;
  readonly sequence: LlamaContextSequence;
  /** The team whose tokens the KV cache holds. */
  teamId: string | null;
  /** Whether the KV cache holds tokens that are never written to disk. */
  ephemeral: boolean;
  /** The key of the team's job that used the slot last; null = it had none. */
  cacheKey: string | null;
  /** Tick of the last use; the least recently used slot is reused first. */
  lastUsed: number;
  generation: Generation | null;
}

/** Shorter prefixes are faster to evaluate again than to write and read. */
export const storedTokensMin = 128;

/** A copy takes as long as it takes to evaluate few tokens. */
export const copiedTokensMin = 32;

/** Where evaluated prefixes are stored, and what they save. */
export interface StoringTerms {
  readonly store: PrefixStore | null;
  /** Milliseconds that the model takes to evaluate a prompt token; null while it is not measured. */
  readonly msPerPromptToken: number | null;
}

/** Creates the empty slots of a model, ordered by sequence. */
export function createSlots(resident: Resident): readonly SequenceSlot[] {
  return resident.sequences.map((sequence, id) => ({
    id,
    sequence,
    teamId: null,
    ephemeral: false,
    cacheKey: null,
    lastUsed: 0,
    generation: null,
  }));
}

/** Returns the owner of the prefixes that this team's jobs leave in the cache. */
function createOwner(resident: Resident, teamId: string): PrefixOwner {
  return { fingerprint: resident.stateKey, teamId };
}

/** Chooses a free slot for a job; null when none is free. */
export function chooseSlot(slots: readonly SequenceSlot[], decode: SeededJob): SequenceSlot | null {
  const id = bestSlot(
    slots.map((slot) => ({
      busy: slot.generation !== null,
      empty: slot.sequence.nextTokenIndex === 0,
      lastUsed: slot.lastUsed,
      sharedTokens:
        slot.generation !== null || decode.deterministic
          ? 0
          : usefulPrefix(sharedPrefix(slot, decode), decode),
      sameKey: isOfSameKey(slot, decode),
    })),
  );
  return id === null ? null : (slots[id] ?? null);
}

/** Whether the state of a sequence can be copied to another one in memory. */
export function canCopy({ native, sequences }: Resident): boolean {
  return native !== null && sequences.every(({ needsCheckpoints }) => !needsCheckpoints);
}

/**
 * Prepares a slot for a job: saves a long prefix that the slot would lose, copies a longer prefix from another slot, or loads it from the
 * store, if there is one, and truncates the sequence to the prefix it shares with the prompt.
 * @param slots all of the model
 * @returns the number of prompt tokens that the sequence holds.
 */
export async function prepareSlot(
  { slot, slots }: { readonly slot: SequenceSlot; readonly slots: readonly SequenceSlot[] },
  decode: SeededJob,
  resident: Resident,
  terms: StoringTerms,
): Promise<number> {
  const { sequence } = slot;
  const held = decode.deterministic ? 0 : sharedPrefix(slot, decode);
  const lost = sequence.nextTokenIndex - held;
  if (lost >= storedTokensMin) await saveSlot(slot, resident, terms);
  if (await copyLongerPrefix({ slot, slots }, decode, resident, held)) return truncateToPrefix(slot, decode);
  const stored = decode.deterministic
    ? null
    : terms.store?.find(createOwner(resident, decode.teamId), decode.prompt.tokens);
  const saved = stored == null ? 0 : savedTokens(stored, held, slot, decode);
  if (stored != null && saved >= storedTokensMin && stored.isFaster(evaluationMs(saved, terms)))
    if (await stored.load({ sequence, native: resident.native })) assignSlot(slot, decode);
  return truncateToPrefix(slot, decode);
}

/** Copies the state of another slot of the team that shares more tokens with the prompt. @returns whether there is one */
async function copyLongerPrefix(
  { slot, slots }: { readonly slot: SequenceSlot; readonly slots: readonly SequenceSlot[] },
  decode: SeededJob,
  resident: Resident,
  held: number,
): Promise<boolean> {
  const { native } = resident;
  if (decode.deterministic || native === null || !canCopy(resident)) return false;
  let best: { readonly from: SequenceSlot; readonly shared: number } | null = null;
  for (const from of slots) {
    // Cells of an unfinished image are in no list.
    if (from === slot || from.ephemeral || from.generation?.isLooking === true) continue;
    const shared = sharedPrefix(from, decode);
    if (shared - held >= copiedTokensMin && shared > (best?.shared ?? 0)) best = { from, shared };
  }
  if (best === null) return false;
  await slot.sequence.clearHistory();
  native.copySequence(best.from.sequence, slot.sequence);
  assignSlot(slot, decode);
  return true;
}

/** Records which team and key the tokens of a slot belong to. Both change together: a key means something within its team only. */
export function assignSlot(slot: SequenceSlot, { teamId, cacheKey }: SeededJob): void {
  slot.teamId = teamId;
  slot.cacheKey = cacheKey ?? null;
}

/** Returns whether the slot was last used by a job of the same team with the same key. */
function isOfSameKey(slot: SequenceSlot, { teamId, cacheKey }: SeededJob): boolean {
  return cacheKey !== undefined && slot.teamId === teamId && slot.cacheKey === cacheKey;
}

/** Returns how many tokens a stored prefix saves. A state that cannot be truncated must be the state after a beginning of the prompt. */
function savedTokens(
  { shared, length }: StoredPrefix,
  held: number,
  { sequence }: SequenceSlot,
  { prompt }: SeededJob,
): number {
  const kept = sequence.needsCheckpoints && (length > shared || length === prompt.tokens.length) ? 0 : shared;
  return kept - held;
}

/** Saves the tokens of a slot in the prefix store, unless they must not be written to disk. */
export async function saveSlot(
  { sequence, teamId, ephemeral }: SequenceSlot,
  resident: Resident,
  terms: StoringTerms,
): Promise<void> {
  if (teamId === null || ephemeral) return;
  const tokens = sequence.nextTokenIndex;
  const evaluation = { bytes: tokens * resident.stateBytesPerToken, ms: evaluationMs(tokens, terms) };
  const from = { sequence, native: resident.native };
  await terms.store?.save(createOwner(resident, teamId), from, evaluation);
}

function evaluationMs(tokens: number, { msPerPromptToken }: StoringTerms): number | null {
  return msPerPromptToken === null ? null : tokens * msPerPromptToken;
}

async function truncateToPrefix(slot: SequenceSlot, decode: SeededJob): Promise<number> {
  const { sequence } = slot;
  const keep = decode.deterministic ? 0 : sharedPrefix(slot, decode);
  if (keep === 0) await sequence.clearHistory();
  else
    await sequence.adaptStateToTokens(Array.from(decode.prompt.tokens.subarray(0, keep)) as Token[], false);
  return sequence.nextTokenIndex;
}

/** Returns the number of prompt tokens that the slot can keep for the same team; at least one token is always left to evaluate. */
export function sharedPrefix(slot: SequenceSlot, decode: SeededJob): number {
  if (slot.teamId !== decode.teamId) return 0;
  const prompt = decode.prompt.tokens;
  const shared = Math.min(commonPrefix(slot.sequence.contextTokens, prompt), prompt.length - 1);
  // A state is never cut inside of an image or sound.
  const cut = decode.prompt.media?.parts.find(
    ({ start, positions }) => start < shared && start + positions > shared,
  );
  return keptTokens(slot.sequence, cut?.start ?? shared);
}

/** Returns 0 for a short shared prefix (the template's own tokens), which is not worth a worse slot. */
function usefulPrefix(shared: number, { prompt }: SeededJob): number {
  return shared >= 32 || shared * 2 >= prompt.tokens.length ? shared : 0;
}
