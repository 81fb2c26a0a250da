/**
 * The lock-step loop: every tick samples one token for each decoding slot, in ascending slot order so that they share a
 * batch, and evaluates at most one chunk of waiting prompts, oldest first. One loop drives all models, one context at a time,
 * so that two never fight for the same cores. Speculative decoding would go into `advance`, as tokens a slot has too many:
 * left out, since it gains nothing on a CPU and takes slots out of step.
 *
 * Modes: idle (nothing to do; the next job wakes it) -> ticking -> idle.
 */
import { asHearthError } from "../../core/errors.js";
import { beginGeneration, type Generation } from "./generation.js";
import type { JobNews, SeededJob } from "./protocol.js";
import type { Resident } from "./resident.js";
import { adapt, chooseSlot, makeSlots, type SequenceSlot } from "./slot.js";
import { wireError } from "./wire-error.js";

interface Submitted {
  readonly resident: Resident;
  readonly job: number;
  readonly decode: SeededJob;
}

/** The loop over all slots of all models. */
export class TickLoop {
  readonly #prefillChunkTokens: number;
  readonly #report: (news: readonly JobNews[]) => void;
  readonly #slots = new Map<Resident, readonly SequenceSlot[]>();
  readonly #cancelled = new Set<number>();
  #arrivals: Submitted[] = [];
  #running: Promise<void> | null = null;
  #ticks = 0;

  /** @param report is called once a tick with what happened to each job, `done` being its last news. */
  constructor(prefillChunkTokens: number, report: (news: readonly JobNews[]) => void) {
    this.#prefillChunkTokens = prefillChunkTokens;
    this.#report = report;
  }

  submit(resident: Resident, job: number, decode: SeededJob): void {
    this.#arrivals.push({ resident, job, decode });
    this.#wake();
  }

  /** Ends a job at the next tick; one that is not here any more is left alone. */
  cancel(job: number): void {
    if (!this.#jobs().includes(job)) return;
    this.#cancelled.add(job);
    this.#wake();
  }

  /** Cancels every job and resolves when no slot is held. */
  async drain(): Promise<void> {
    for (const job of this.#jobs()) this.#cancelled.add(job);
    while (this.#running !== null) await this.#running;
  }

  #jobs(): readonly number[] {
    const held = [...this.#slots.values()].flat().flatMap((slot) => slot.generation?.job ?? []);
    return [...held, ...this.#arrivals.map((arrival) => arrival.job)];
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#arrivals.length > 0) this.#wake();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#ticks += 1;
      const news = await this.#cancelMarked();
      for (const arrival of this.#arrivals.splice(0)) news.push(...(await this.#admit(arrival)));
      const busy = [...this.#slots.values()].filter((slots) =>
        slots.some((slot) => slot.generation !== null),
      );
      for (const slots of busy) await advance(slots, this.#prefillChunkTokens);
      news.push(...busy.flat().flatMap(collect));
      if (news.length > 0) this.#report(news);
      if (busy.length === 0 && this.#arrivals.length === 0) return;
      // Messages of the other thread (new jobs, cancels) are read between ticks.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  async #cancelMarked(): Promise<JobNews[]> {
    if (this.#cancelled.size === 0) return [];
    const marked = new Set(this.#cancelled);
    this.#cancelled.clear();
    const gone = this.#arrivals.filter((arrival) => marked.has(arrival.job));
    this.#arrivals = this.#arrivals.filter((arrival) => !marked.has(arrival.job));
    const news: JobNews[] = gone.map(({ job }) => ({ job, events: [], error: null, done: true }));
    for (const slot of [...this.#slots.values()].flat()) {
      if (slot.generation === null || !marked.has(slot.generation.job)) continue;
      await slot.generation.cancel();
      news.push(...collect(slot));
    }
    return news;
  }

  async #admit({ resident, job, decode }: Submitted): Promise<JobNews[]> {
    const slots = this.#slots.get(resident) ?? makeSlots(resident);
    this.#slots.set(resident, slots);
    try {
      const slot = chooseSlot(slots, decode);
      if (slot === null) throw new Error("more jobs than slots");
      const cachedTokens = await adapt(slot, decode);
      slot.teamId = decode.teamId;
      slot.lastUsed = this.#ticks;
      slot.generation = beginGeneration(resident, slot.sequence, { job, decode, cachedTokens });
      return [];
    } catch (thrown) {
      return [{ job, events: [], error: wireError(asHearthError(thrown)), done: true }];
    }
  }
}

async function advance(slots: readonly SequenceSlot[], prefillChunkTokens: number): Promise<void> {
  const work: Promise<void>[] = [];
  const waiting: Generation[] = [];
  for (const { generation } of slots) {
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

/** What happened to the slot's generation since the last look; a finished one leaves the slot. */
function collect(slot: SequenceSlot): JobNews[] {
  const { generation } = slot;
  if (generation === null) return [];
  const events = generation.takeEvents();
  const done = generation.mode === "finished";
  if (done) slot.generation = null;
  if (events.length === 0 && !done) return [];
  const error = generation.error === null ? null : wireError(generation.error);
  return [{ job: generation.job, events, error, done }];
}
