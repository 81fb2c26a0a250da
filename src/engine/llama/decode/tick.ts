/**
 * The lock-step loop: every tick samples one token for each decoding slot, in ascending slot order so that they share a
 * batch, and evaluates at most one chunk of waiting prompts, oldest first. One loop drives all models, one context at a time,
 * so that two never fight for the same cores. Speculative decoding would go into `advance`, as tokens a slot has too many:
 * left out, since it gains nothing on a CPU and takes slots out of step.
 *
 * Modes of the loop: idle (nothing to do; the next job wakes it) -> ticking -> idle.
 * Modes of a job: arrived -> held (another prompt that begins alike is being evaluated, or it must run alone) -> in a slot.
 */
import { asHearthError } from "../../../core/errors.js";
import { mergeEvents } from "../../../core/generation.js";
import { beginGeneration } from "./generation.js";
import { Pace } from "./pace.js";
import { commonPrefix, type PrefixStore } from "./prefix-store.js";
import type { JobNews, SeededJob } from "../protocol.js";
import type { Resident } from "../load/resident.js";
import {
  adapt,
  chooseSlot,
  makeSlots,
  ownerOf,
  sharedPrefix,
  storedTokensMin,
  type SequenceSlot,
} from "./slot.js";
import { wireError } from "../wire-error.js";

export interface TickOptions {
  /** Time between two tokens of a decoding neighbour that a chunk of a prompt should not exceed. */
  readonly tokenGapMsMax: number;
  /** Where prefixes go that lose their slot; null keeps none. */
  readonly store: PrefixStore | null;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Least time between two reports of nothing but text. */
const newsGapMs = 5;

interface Submitted {
  readonly resident: Resident;
  readonly job: number;
  readonly decode: SeededJob;
}

/** The loop over all slots of all models. */
export class TickLoop {
  readonly #options: TickOptions;
  readonly #report: (news: readonly JobNews[]) => void;
  readonly #slots = new Map<Resident, readonly SequenceSlot[]>();
  readonly #paces = new Map<Resident, Pace>();
  /** Jobs that have not ended, wherever they are: also one that is on its way into a slot can be cancelled. */
  readonly #open = new Set<number>();
  readonly #cancelled = new Set<number>();
  /** Jobs without a slot, in order of arrival. */
  #arrivals: Submitted[] = [];
  /** News gathered since the last report, by job. */
  readonly #untold = new Map<number, JobNews>();
  /** Jobs whose begin was told, but no text yet. */
  readonly #textless = new Set<number>();
  #toldAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #ticks = 0;

  /** @param report is called once a tick with what happened to each job, `done` being its last news. */
  constructor(options: TickOptions, report: (news: readonly JobNews[]) => void) {
    this.#options = options;
    this.#report = report;
  }

  submit(resident: Resident, job: number, decode: SeededJob): void {
    this.#open.add(job);
    this.#arrivals.push({ resident, job, decode });
    this.#wake();
  }

  /** Ends a job at the next tick; one that is not here any more is left alone. */
  cancel(job: number): void {
    if (!this.#open.has(job)) return;
    this.#cancelled.add(job);
    this.#wake();
  }

  /** Cancels every job and resolves when no slot is held and what the slots know is stored. */
  async drain(): Promise<void> {
    for (const job of this.#open) this.#cancelled.add(job);
    if (this.#cancelled.size > 0) this.#wake();
    while (this.#running !== null) await this.#running;
    for (const resident of [...this.#slots.keys()]) await this.forget(resident);
  }

  /** A model leaves memory, with nothing running on it: its long prefixes are stored. */
  async forget(resident: Resident): Promise<void> {
    const slots = this.#slots.get(resident) ?? [];
    this.#slots.delete(resident);
    this.#paces.delete(resident);
    for (const { sequence, teamId } of slots)
      if (teamId !== null && sequence.nextTokenIndex >= storedTokensMin)
        await this.#options.store?.save(ownerOf(resident, teamId), sequence);
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
      const news = [...(await this.#cancelMarked()), ...(await this.#admitArrivals())];
      const busy = [...this.#slots].filter(([, slots]) => slots.some((slot) => slot.generation !== null));
      const work = this.#advanceAll(busy);
      // The library hands the batch to the cores in the next turn of the event loop; messages of the other thread (new jobs,
      // cancels) are read in these turns, too.
      await nextTurn();
      await nextTurn();
      // What the last tick sampled becomes text and news while the cores are at work on this one.
      news.push(...busy.flatMap(([, slots]) => slots.flatMap(collect)));
      this.#tell(news);
      await work;
      if (busy.length === 0 && this.#arrivals.length === 0) return;
    }
  }

  async #advanceAll(busy: readonly (readonly [Resident, readonly SequenceSlot[]])[]): Promise<void> {
    for (const [resident, slots] of busy) await this.#advance(resident, slots);
  }

  /**
   * Passes on what happened: at once when a job begins, has its first text or ends, or when the last word is long ago, else
   * gathered with the next ticks'. A model of a thousand tokens a second would spend more time on messages than on tokens.
   */
  #tell(news: readonly JobNews[]): void {
    let urgent = false;
    for (const item of news) {
      this.#untold.set(item.job, joinNews(this.#untold.get(item.job), item));
      const begins = item.events[0]?.type === "generation-start";
      urgent ||= begins || item.done || this.#textless.delete(item.job);
      if (begins && item.events.length === 1) this.#textless.add(item.job);
      if (!item.done) continue;
      this.#open.delete(item.job);
      this.#textless.delete(item.job);
    }
    if (this.#untold.size === 0) return;
    const now = this.#options.now();
    if (!urgent && now - this.#toldAt < newsGapMs) return;
    this.#toldAt = now;
    this.#report([...this.#untold.values()]);
    this.#untold.clear();
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

  /** Admits whoever can begin now, in order of arrival; a job that must run alone lets nobody past it. */
  async #admitArrivals(): Promise<JobNews[]> {
    const news: JobNews[] = [];
    const waiting = this.#arrivals.splice(0);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (this.#mustWaitAlone(next)) {
        this.#arrivals.unshift(next, ...waiting);
        return news;
      }
      if (this.#followsAnother(next)) this.#arrivals.push(next);
      else news.push(...(await this.#admit(next)));
    }
    return news;
  }

  #mustWaitAlone({ decode }: Submitted): boolean {
    const running = [...this.#slots.values()].flat().flatMap((slot) => slot.generation ?? []);
    return decode.deterministic ? running.length > 0 : running.some((generation) => generation.deterministic);
  }

  /** Whether a neighbour of the same team is evaluating a prefix that this prompt shares: once it is there, it is copied. */
  #followsAnother({ resident, decode }: Submitted): boolean {
    const { store } = this.#options;
    if (store === null || decode.deterministic) return false;
    const slots = this.#slots.get(resident) ?? [];
    const known = Math.max(
      0,
      ...slots.map((slot) => (slot.generation === null ? sharedPrefix(slot, decode) : 0)),
    );
    return slots.some(({ generation }) => {
      if (generation?.mode !== "prefill" || generation.teamId !== decode.teamId) return false;
      const shared = commonPrefix(generation.prompt, decode.prompt.tokens);
      if (shared < known + storedTokensMin || generation.evaluated >= shared) return false;
      generation.shareWhenEvaluated(shared);
      return true;
    });
  }

  async #admit({ resident, job, decode }: Submitted): Promise<JobNews[]> {
    const slots = this.#slots.get(resident) ?? makeSlots(resident);
    this.#slots.set(resident, slots);
    try {
      const slot = chooseSlot(slots, decode);
      if (slot === null) throw new Error("more jobs than slots");
      const cachedTokens = await adapt(slot, decode, resident, this.#options.store);
      slot.teamId = decode.teamId;
      slot.lastUsed = this.#ticks;
      slot.generation = beginGeneration(resident, slot.sequence, { job, decode, cachedTokens });
      return [];
    } catch (thrown) {
      return [{ job, events: [], error: wireError(asHearthError(thrown)), done: true }];
    }
  }

  /** One tick of one model. */
  async #advance(resident: Resident, slots: readonly SequenceSlot[]): Promise<void> {
    const pace = this.#paces.get(resident) ?? this.#paceOf(resident);
    this.#paces.set(resident, pace);
    const running = slots.flatMap((slot) => slot.generation ?? []);
    const decoding = running.filter((generation) => generation.mode === "decode");
    const prefilling = running
      .filter((generation) => generation.mode === "prefill")
      .sort((a, b) => a.job - b.job);
    const began = this.#options.now();
    const work = decoding.map((generation) => generation.step());
    let left = pace.budget(decoding.length);
    const budget = left;
    for (const generation of prefilling) {
      if (left === 0) break;
      const { taken, done } = generation.prefill(left);
      left -= taken;
      work.push(done);
    }
    await Promise.all(work);
    pace.learn(budget - left, this.#options.now() - began);
    await this.#share(resident, slots);
  }

  #paceOf({ chunkTokens }: Resident): Pace {
    return new Pace({ chunkTokensMax: chunkTokens, tokenGapMsMax: this.#options.tokenGapMsMax });
  }

  /** Stores the prefixes that held jobs wait for, so that each of them loads what was evaluated once. */
  async #share(resident: Resident, slots: readonly SequenceSlot[]): Promise<void> {
    for (const { sequence, generation } of slots)
      if (generation?.takeShareWish() === true)
        await this.#options.store?.save(ownerOf(resident, generation.teamId), sequence);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What happened to the slot's generation since the last look; a finished one leaves the slot. */
function collect(slot: SequenceSlot): JobNews[] {
  const { generation } = slot;
  if (generation === null) return [];
  generation.digest();
  const events = generation.takeEvents();
  const done = generation.mode === "finished";
  if (done) slot.generation = null;
  if (events.length === 0 && !done) return [];
  const error = generation.error === null ? null : wireError(generation.error);
  return [{ job: generation.job, events, error, done }];
}

function joinNews(earlier: JobNews | undefined, later: JobNews): JobNews {
  if (earlier === undefined) return later;
  const events = [...earlier.events];
  for (const event of later.events) {
    const last = events.at(-1);
    const merged = last === undefined ? null : mergeEvents(last, event);
    if (merged === null) events.push(event);
    else events[events.length - 1] = merged;
  }
  return { ...later, events };
}
