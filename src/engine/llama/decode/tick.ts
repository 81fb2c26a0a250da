/**
 * The lock-step loop: every tick samples one token for each decoding slot whose team has its turn, in ascending slot order so that they
 * share a batch, and evaluates at most one chunk of waiting prompts, oldest first. One loop drives all models, one context at a time, so
 * that two contexts never compete for the same cores. A slot may sample several tokens in a tick, where they were drafted
 * (draft/drafter.ts).
 *
 * Modes of the loop: idle (the next job starts it) -> ticking -> idle.
 * Modes of a job: arrived -> waiting (a prompt with the same prefix is being evaluated, or the job must run alone) -> in a slot.
 */
import { toHearthError } from "../../../core/errors.js";
import { mergeEvents } from "../../../core/requests/event-merging.js";
import { draftAll } from "./draft/drafter.js";
import { driveModel, type DrivenModel } from "./driven-model.js";
import { Generation } from "./generation.js";
import { stepMsMax } from "../step-watch.js";
import { commonPrefix, type PrefixStore } from "./prefix-store.js";
import type { JobUpdate } from "../protocol.js";
import type { SeededJob } from "../../language/seeded-job.js";
import type { NativeContext } from "../../native/native-context.js";
import type { Resident } from "../load/resident.js";
import {
  assignSlot,
  canCopy,
  copiedTokensMin,
  prepareSlot,
  chooseSlot,
  saveSlot,
  sharedPrefix,
  storedTokensMin,
  type SequenceSlot,
  type StoringTerms,
} from "./slot.js";

interface TickOptions {
  /** Time between two tokens of a decoding generation that a prompt chunk should not exceed. */
  readonly tokenGapMsMax: number;
  /** Stores prefixes that lose their slot; null stores none. */
  readonly store: PrefixStore | null;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Minimum time between two reports that contain only text. */
const updateIntervalMs = 5;

/** Time of one part of an encode: a cancelled request ends after it. */
const lookingMsMax = 200;
/** A shorter part costs more for its start. */
const lookingMsMin = 20;

interface SubmittedJob {
  readonly resident: Resident;
  readonly job: number;
  readonly decode: SeededJob;
}

/** The loop over all slots of all models. */
export class TickLoop {
  readonly #options: TickOptions;
  readonly #report: (updates: readonly JobUpdate[]) => void;
  readonly #models = new Map<Resident, DrivenModel>();
  /** Jobs that have not ended, with or without a slot: all of them can be cancelled. */
  readonly #openJobs = new Set<number>();
  readonly #cancelled = new Set<number>();
  /** Jobs without a slot, in order of arrival. */
  #arrivals: SubmittedJob[] = [];
  /** Updates since the last report, by job. */
  readonly #pendingUpdates = new Map<number, JobUpdate>();
  /** Jobs whose start was reported, but no text yet. */
  readonly #awaitingText = new Set<number>();
  #reportedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #ticks = 0;
  /** The prompt of one job, if nothing else is evaluated now: its decode can be ended. */
  #sole: { readonly job: number; readonly generation: Generation; readonly native: NativeContext } | null =
    null;
  /** Work of another kind, in order of arrival. */
  readonly #between: (() => Promise<void>)[] = [];

  /** @param report is called at most once per tick with the updates of each job; an update with `done` is the job's last. */
  constructor(options: TickOptions, report: (updates: readonly JobUpdate[]) => void) {
    this.#options = options;
    this.#report = report;
  }

  submit(resident: Resident, job: number, decode: SeededJob): void {
    this.#openJobs.add(job);
    this.#arrivals.push({ resident, job, decode });
    this.#wake();
  }

  /** Cancels a job at the next tick; ignores a job that has ended. */
  cancel(job: number): void {
    if (!this.#openJobs.has(job)) return;
    this.#cancelled.add(job);
    if (this.#sole?.job === job) this.#sole.generation.abortDecode(this.#sole.native);
    this.#wake();
  }

  /** Runs work of another kind between two ticks, one piece after each, so that it does not compete with them for the same cores. */
  runBetween<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject));
      this.#wake();
    });
  }

  /** Cancels every job; resolves when no slot is in use and long prefixes are stored. */
  async drain(): Promise<void> {
    for (const job of this.#openJobs) this.#cancelled.add(job);
    if (this.#cancelled.size > 0) this.#wake();
    while (this.#running !== null) await this.#running;
    for (const resident of [...this.#models.keys()]) await this.releaseModel(resident);
  }

  /** Stores the long prefixes of a model that is unloaded. No job may be running on it. */
  async releaseModel(resident: Resident): Promise<void> {
    const model = this.#models.get(resident);
    if (model === undefined) return;
    this.#models.delete(resident);
    for (const slot of model.slots)
      if (slot.sequence.nextTokenIndex >= storedTokensMin)
        await saveSlot(slot, resident, this.#storingTerms(model));
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#arrivals.length + this.#between.length > 0) this.#wake();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#ticks += 1;
      const updates = [...(await this.#cancelMarked()), ...(await this.#admitArrivals())];
      const busy = [...this.#models.values()].filter(isBusy);
      const work = this.#advanceAll(busy);
      // The library dispatches the batch in the next turn of the event loop. Messages from the other thread (new jobs, cancels)
      // are also read in these turns.
      await nextTurn();
      await nextTurn();
      // Tokens of the last tick are converted to text while this tick is computed.
      updates.push(...busy.flatMap(({ slots }) => slots.flatMap(collectUpdates)));
      this.#reportUpdates(updates);
      await work;
      await this.#between.shift()?.();
      if (busy.length + this.#arrivals.length + this.#between.length === 0) return;
    }
  }

  async #advanceAll(busy: readonly DrivenModel[]): Promise<void> {
    for (const model of busy) await this.#advance(model);
  }

  get #allSlots(): readonly SequenceSlot[] {
    return [...this.#models.values()].flatMap(({ slots }) => slots);
  }

  /**
   * Reports updates: at once when a job starts, has its first text or ends, else at most every `updateIntervalMs`. A model with a
   * thousand tokens per second would otherwise spend more time on messages than on tokens.
   */
  #reportUpdates(updates: readonly JobUpdate[]): void {
    let urgent = false;
    for (const item of updates) {
      this.#pendingUpdates.set(item.job, mergeUpdates(this.#pendingUpdates.get(item.job), item));
      const begins = item.events[0]?.type === "generation-start";
      urgent ||= begins || item.done || this.#awaitingText.delete(item.job);
      if (begins && item.events.length === 1) this.#awaitingText.add(item.job);
      if (!item.done) continue;
      this.#openJobs.delete(item.job);
      this.#awaitingText.delete(item.job);
    }
    if (this.#pendingUpdates.size === 0) return;
    const now = this.#options.now();
    if (!urgent && now - this.#reportedAt < updateIntervalMs) return;
    this.#reportedAt = now;
    this.#report([...this.#pendingUpdates.values()]);
    this.#pendingUpdates.clear();
  }

  async #cancelMarked(): Promise<JobUpdate[]> {
    if (this.#cancelled.size === 0) return [];
    const marked = new Set(this.#cancelled);
    this.#cancelled.clear();
    const gone = this.#arrivals.filter((arrival) => marked.has(arrival.job));
    this.#arrivals = this.#arrivals.filter((arrival) => !marked.has(arrival.job));
    const updates: JobUpdate[] = gone.map(({ job }) => ({ job, events: [], error: null, done: true }));
    for (const slot of this.#allSlots) {
      if (slot.generation === null || !marked.has(slot.generation.job)) continue;
      await slot.generation.cancel();
      updates.push(...collectUpdates(slot));
    }
    return updates;
  }

  /** Admits the jobs that can start now, in order of arrival; no job overtakes one that must run alone. */
  async #admitArrivals(): Promise<JobUpdate[]> {
    const updates: JobUpdate[] = [];
    const waiting = this.#arrivals.splice(0);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (this.#mustWait(next)) {
        this.#arrivals.unshift(next, ...waiting);
        return updates;
      }
      if (this.#waitsForSharedPrefix(next)) this.#arrivals.push(next);
      else updates.push(...(await this.#admit(next)));
    }
    return updates;
  }

  #mustWait({ decode }: SubmittedJob): boolean {
    const running = this.#allSlots.flatMap((slot) => slot.generation ?? []);
    return decode.deterministic ? running.length > 0 : running.some((generation) => generation.deterministic);
  }

  /** Returns whether a job of the same team is evaluating a prefix that this prompt shares: the result is copied when complete. */
  #waitsForSharedPrefix({ resident, decode }: SubmittedJob): boolean {
    const { store } = this.#options;
    const isCopied = canCopy(resident);
    if ((store === null && !isCopied) || decode.deterministic || decode.ephemeral === true) return false;
    const { slots = [] } = this.#models.get(resident) ?? {};
    const known = Math.max(
      0,
      ...slots.map((slot) => (slot.generation === null ? sharedPrefix(slot, decode) : 0)),
    );
    return slots.some(({ generation }) => {
      if (generation?.mode !== "prefill" || generation.teamId !== decode.teamId) return false;
      if (generation.ephemeral) return false;
      const shared = commonPrefix(generation.prompt, decode.prompt.tokens);
      if (shared < known + (isCopied ? copiedTokensMin : storedTokensMin) || generation.evaluated >= shared)
        return false;
      if (!isCopied) generation.shareWhenEvaluated(shared);
      return true;
    });
  }

  async #admit({ resident, job, decode }: SubmittedJob): Promise<JobUpdate[]> {
    const model = this.#models.get(resident) ?? driveModel(resident, this.#options.tokenGapMsMax);
    this.#models.set(resident, model);
    const { slots, drafts } = model;
    try {
      const slot = chooseSlot(slots, decode);
      if (slot === null) throw new Error("more jobs than slots");
      const cachedTokens = await prepareSlot({ slot, slots }, decode, resident, this.#storingTerms(model));
      assignSlot(slot, decode);
      slot.ephemeral = decode.ephemeral === true;
      slot.lastUsed = this.#ticks;
      slot.generation = new Generation(resident, slot.sequence, { job, decode, cachedTokens, drafts });
      return [];
    } catch (thrown) {
      return [{ job, events: [], error: toHearthError(thrown), done: true }];
    }
  }

  /** One tick of one model. */
  async #advance(model: DrivenModel): Promise<void> {
    const { resident, slots, pace, drafts } = model;
    const { stepping, prefilling, promptTokens } = pace.next(slots.flatMap((slot) => slot.generation ?? []));
    const began = this.#options.now();
    const isAlone = stepping.length === 1 && prefilling.length === 0;
    // A draft beside a prompt takes none of its tokens: a smaller chunk takes more time for each.
    const draftTokensMax =
      prefilling.length === 0 ? promptTokens : resident.promptChunks.idleMax - promptTokens;
    const drafted = draftAll(stepping, { tokensMax: draftTokensMax, isAlone });
    let left = promptTokens;
    const work = stepping.map((generation) => generation.step());
    const looking = chooseLooking(prefilling);
    const evaluated: Generation[] = [];
    for (const generation of prefilling) {
      if (left === 0) break;
      if (generation.isLooking) continue;
      evaluated.push(generation);
      const { taken, done } = generation.prefill(left);
      left -= taken;
      work.push(done);
    }
    const [sole] = stepping.length === 0 && work.length === 1 ? evaluated : [];
    if (sole !== undefined && resident.native?.canAbort === true)
      this.#sole = { job: sole.job, generation: sole, native: resident.native };
    await resident.steps.run(stepMsMax.tick, () => Promise.all(work));
    this.#sole?.native.endAbort();
    this.#sole = null;
    const ms = this.#options.now() - began;
    if (work.length > 0)
      pace.record({ decoding: stepping.length, drafted, promptTokens: promptTokens - left, ms });
    if (looking !== undefined) await this.#look(model, looking, stepping.length === 0 ? null : ms);
    if (prefilling.length === 0) drafts.cost.record(stepping.length, drafted, ms);
    await this.#storeSharedPrefixes(model);
  }

  /**
   * Works on an image or sound, after the batch: nothing else may use the context meanwhile.
   * @param spentMs of the time between two tokens of other answers; null: nobody waits for a token
   */
  async #look({ resident }: DrivenModel, looking: Generation, spentMs: number | null): Promise<void> {
    const left = spentMs === null ? lookingMsMax : this.#options.tokenGapMsMax - spentMs;
    const limits = {
      ms: Math.min(lookingMsMax, Math.max(lookingMsMin, left)),
      cellsMax: resident.promptChunks.fixed,
    };
    await resident.steps.run(stepMsMax.tick, () => looking.look(limits));
  }

  #storingTerms({ pace }: DrivenModel): StoringTerms {
    return { store: this.#options.store, msPerPromptToken: pace.msPerPromptToken };
  }

  /** Stores the prefixes that waiting jobs share, so that each of them loads what was evaluated once. */
  async #storeSharedPrefixes(model: DrivenModel): Promise<void> {
    for (const slot of model.slots)
      if (slot.generation?.takeShareRequest() === true)
        await saveSlot(slot, model.resident, this.#storingTerms(model));
  }
}

/** Returns the generation whose image or sound is evaluated next: the one that encodes already, or the oldest that need not wait for it. */
function chooseLooking(prefilling: readonly Generation[]): Generation | undefined {
  return prefilling.find(({ isLooking, waitsForProjector }) => isLooking && !waitsForProjector);
}

function isBusy({ slots }: DrivenModel): boolean {
  return slots.some((slot) => slot.generation !== null);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns the updates of the slot's generation since the last call; a finished generation leaves the slot. */
function collectUpdates(slot: SequenceSlot): JobUpdate[] {
  const { generation } = slot;
  if (generation === null) return [];
  generation.processSampled();
  const events = generation.takeEvents();
  const done = generation.mode === "finished";
  if (done) slot.generation = null;
  if (events.length === 0 && !done) return [];
  return [{ job: generation.job, events, error: generation.error, done }];
}

/** Merges the updates of one job that are reported together. */
function mergeUpdates(earlier: JobUpdate | undefined, later: JobUpdate): JobUpdate {
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
