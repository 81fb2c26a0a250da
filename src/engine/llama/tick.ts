/**
 * The lock-step loop: every tick samples one token for each decoding slot, in ascending slot order so that they share a
 * batch, and evaluates at most one chunk of waiting prompts, oldest first. One loop drives all models, one context at a time,
 * so that two never fight for the same cores. A slot is chosen for the prefix it already holds, within the same team only.
 *
 * Modes: idle (nothing to do; the next job wakes it) -> ticking -> idle.
 */
import type { Token } from "node-llama-cpp";
import { asHearthError } from "../../core/errors.js";
import { beginGeneration, type Generation } from "./generation.js";
import type { JobNews, SeededJob } from "./protocol.js";
import type { Resident, SequenceSlot } from "./resident.js";
import { wireError } from "./wire-error.js";

export interface TickLoop {
  submit(resident: Resident, job: number, decode: SeededJob): void;
  cancel(job: number): void;
  /** Cancels every job and resolves when no slot is held. */
  drain(): Promise<void>;
}

interface Submitted {
  readonly resident: Resident;
  readonly job: number;
  readonly decode: SeededJob;
}

/**
 * Builds the loop.
 * @param report is called once a tick with what happened to each job, `done` being its last news.
 */
export function createTickLoop(prefillChunkTokens: number, report: (news: readonly JobNews[]) => void): TickLoop {
  const arrivals: Submitted[] = [];
  const cancelled = new Set<number>();
  const residents = new Set<Resident>();
  let loop: Promise<void> | null = null;
  let ticks = 0;

  async function run(): Promise<void> {
    for (;;) {
      ticks += 1;
      const news = await cancelMarked(arrivals, residents, cancelled);
      for (const arrival of arrivals.splice(0)) news.push(...(await admit(arrival, ticks)));
      const busy = [...residents].filter((resident) => resident.slots.some((slot) => slot.generation !== null));
      for (const resident of busy) await advance(resident, prefillChunkTokens);
      for (const resident of busy) news.push(...collect(resident));
      if (news.length > 0) report(news);
      if (busy.length === 0 && arrivals.length === 0) return;
      // Messages of the other thread (new jobs, cancels) are read between ticks.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  function wake(): void {
    loop ??= run().finally(() => {
      loop = null;
      if (arrivals.length > 0) wake();
    });
  }

  return {
    submit(resident, job, decode) {
      residents.add(resident);
      arrivals.push({ resident, job, decode });
      wake();
    },
    cancel(job) {
      const known = arrivals.some((arrival) => arrival.job === job) || holds(residents, job);
      if (!known) return;
      cancelled.add(job);
      wake();
    },
    async drain() {
      for (const arrival of arrivals) cancelled.add(arrival.job);
      for (const resident of residents)
        for (const slot of resident.slots) if (slot.generation !== null) cancelled.add(slot.generation.job);
      while (loop !== null) await loop;
    },
  };
}

function holds(residents: ReadonlySet<Resident>, job: number): boolean {
  return [...residents].some((resident) => resident.slots.some((slot) => slot.generation?.job === job));
}

async function cancelMarked(
  arrivals: Submitted[],
  residents: ReadonlySet<Resident>,
  cancelled: Set<number>,
): Promise<JobNews[]> {
  if (cancelled.size === 0) return [];
  const news: JobNews[] = [];
  for (const arrival of arrivals.splice(0)) {
    if (cancelled.has(arrival.job)) news.push({ job: arrival.job, events: [], error: null, done: true });
    else arrivals.push(arrival);
  }
  for (const resident of residents) {
    for (const slot of resident.slots) {
      if (slot.generation === null || !cancelled.has(slot.generation.job)) continue;
      await slot.generation.cancel();
      news.push(...collectSlot(slot));
    }
  }
  cancelled.clear();
  return news;
}

/** Gives a job the free slot that already holds most of its prompt. */
async function admit(arrival: Submitted, tick: number): Promise<JobNews[]> {
  const { resident, job, decode } = arrival;
  try {
    const slot = chooseSlot(resident.slots, decode);
    if (slot === null) throw new Error("more jobs than slots");
    const cachedTokens = await adapt(slot, decode);
    slot.teamId = decode.teamId;
    slot.lastUsed = tick;
    slot.generation = beginGeneration(resident, slot, job, decode, cachedTokens);
    return [];
  } catch (thrown) {
    return [{ job, events: [], error: wireError(asHearthError(thrown)), done: true }];
  }
}

function chooseSlot(slots: readonly SequenceSlot[], decode: SeededJob): SequenceSlot | null {
  let best: SequenceSlot | null = null;
  let bestRank: readonly number[] = [];
  for (const slot of slots) {
    if (slot.generation !== null) continue;
    const shared = slot.teamId === decode.teamId ? sharedPrefix(slot, decode.prompt.tokens) : 0;
    const rank = [shared, slot.sequence.nextTokenIndex === 0 ? 1 : 0, -slot.lastUsed, -slot.id];
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

/** Tokens of the prompt that the slot holds already; at least one is always left to evaluate. */
function sharedPrefix(slot: SequenceSlot, prompt: Uint32Array): number {
  const held = slot.sequence.contextTokens;
  const most = Math.min(held.length, prompt.length - 1);
  let shared = 0;
  while (shared < most && held[shared] === prompt[shared]) shared += 1;
  return shared;
}

/** Cuts the slot's cache back to what it shares with the prompt. @returns how many tokens that is. */
async function adapt(slot: SequenceSlot, decode: SeededJob): Promise<number> {
  const { sequence } = slot;
  const shared = slot.teamId === decode.teamId ? sharedPrefix(slot, decode.prompt.tokens) : 0;
  // A recurrent or sliding-window state cannot be cut; the library would evaluate the kept part again, unasked.
  const keep = sequence.needsCheckpoints && shared < sequence.nextTokenIndex ? 0 : shared;
  if (keep === 0) await sequence.clearHistory();
  else await sequence.adaptStateToTokens(Array.from(decode.prompt.tokens.subarray(0, keep)) as Token[], false);
  return sequence.nextTokenIndex;
}

async function advance(resident: Resident, prefillChunkTokens: number): Promise<void> {
  const work: Promise<void>[] = [];
  const waiting: Generation[] = [];
  for (const { generation } of resident.slots) {
    if (generation?.mode === "decode") work.push(generation.step());
    if (generation?.mode === "prefill") waiting.push(generation);
  }
  let budget = prefillChunkTokens;
  for (const generation of waiting.sort((a, b) => a.job - b.job)) {
    if (budget === 0) break;
    const { taken, done } = generation.prefill(budget);
    budget -= taken;
    work.push(done);
  }
  await Promise.all(work);
}

function collect(resident: Resident): JobNews[] {
  return resident.slots.flatMap((slot) => collectSlot(slot));
}

function collectSlot(slot: SequenceSlot): JobNews[] {
  const { generation } = slot;
  if (generation === null) return [];
  const events = generation.takeEvents();
  const done = generation.mode === "finished";
  if (done) slot.generation = null;
  if (events.length === 0 && !done) return [];
  const error = generation.error === null ? null : wireError(generation.error);
  return [{ job: generation.job, events, error, done }];
}
