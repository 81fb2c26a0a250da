/**
 * Work that nobody waits for: a queue on disk, and the worker that takes jobs from it. It owns when a job is begun, how long it
 * is held, when it is put back and when it is given up. What a job asks for, and what is kept of its outcome, is its trade's.
 *
 * Modes of a job: queued -> in hand -> settled, its row removed by the very write that settles its run; back to queued when the
 * server is too busy or closes; given up, as a failure, when the process died over it too often.
 */
import type { Principal } from "../accounts/keys/api-key.js";
import type { Clock } from "../core/clock.js";
import { asHearthError, HearthError } from "../core/errors.js";
import type { GenerationRequest } from "../core/generation.js";
import type { Job, JobKind, JobStore } from "./job.js";
import type { Admission } from "../core/limits.js";
import type { WorkClass } from "../core/slots.js";
import type { Write, Writes } from "../store/write.js";
import type { Generator, Run } from "../inference/run/generate.js";
import type { Keeper } from "../inference/run/recorder.js";

/** What is to be done for a job. */
export interface Undertaking {
  readonly principal: Principal;
  readonly request: GenerationRequest;
  readonly keeper: Keeper;
  /** Of the limits that let it in when it was taken. */
  readonly admission: Admission;
  /** The run is over: its outcome is written, or the job was put back and will be begun anew. */
  ended(outcome: "written" | "put-back"): void;
}

/** A kind of jobs. */
export interface Trade {
  readonly kind: JobKind;
  readonly workClass: WorkClass;
  /** @returns null when there is nothing to do any more. @throws HearthError why the job cannot be done. */
  undertake(job: Job): Promise<Undertaking | null>;
  /** What is written of a job that fails before its run begins. */
  failure(job: Job, error: HearthError): Promise<readonly Write[]>;
}

export interface JobQueue {
  /**
   * Takes a job: once this resolves it is on the disk.
   * @param together written with it.
   * @throws HearthError `overloaded` when the queue is full.
   */
  enqueue(job: Omit<Job, "kind" | "attempts">, together: readonly Write[]): Promise<void>;
  /**
   * Takes a job back: the run of one that is in hand is ended, and its outcome waited for; any other is removed.
   * @param unbegun gives what is written of one that is not in hand. @returns whether it was in hand.
   */
  cancel(id: string, unbegun: () => readonly Write[]): Promise<boolean>;
  /** Begins to work. Whatever was in hand when the process before this one died is begun anew. */
  start(): Promise<void>;
  /** Ends the runs in hand and puts their jobs back. */
  close(): Promise<void>;
}

export interface JobQueueDeps {
  readonly trade: Trade;
  readonly jobs: JobStore;
  readonly writes: Writes;
  readonly generator: Pick<Generator, "start">;
  readonly clock: Clock;
  /** Jobs that may be in the queue. */
  readonly queuedMax: number;
  /** Jobs in hand at a time. */
  readonly activeMax: number;
  /** Told of what should not happen; the job stays in the queue. */
  readonly onTrouble: (jobId: string | null, thrown: unknown) => void;
}

/** How long a job is held without a sign of life of its holder. */
const leaseMs = 30_000;

/** Times that a job is begun: one over which the process died so often is given up. */
const attemptsMax = 3;

/** Builds the queue of one trade; nothing is worked on before `start`. */
export function createJobQueue(deps: JobQueueDeps): JobQueue {
  return new Queue(deps);
}

/** A job in hand. */
interface Hand {
  readonly job: Job;
  run: Run | null;
  cancelled: boolean;
  /** Resolves, never rejects, when it is in hand no more: whether it is in the queue again. */
  done: Promise<boolean>;
}

class Queue implements JobQueue {
  readonly #deps: JobQueueDeps;
  readonly #hands = new Map<string, Hand>();
  #filling: Promise<void> | null = null;
  #isFillingAgain = false;
  #isPaused = false;
  #isWorking = false;
  #lastEntry: Promise<void> = Promise.resolve();
  #stopBeating = (): void => undefined;
  #stopPause = (): void => undefined;

  constructor(deps: JobQueueDeps) {
    this.#deps = deps;
  }

  enqueue(job: Omit<Job, "kind" | "attempts">, together: readonly Write[]): Promise<void> {
    // One after the other: those that come together would all find the last place free.
    const entry = this.#lastEntry.then(() => this.#enter(job, together));
    this.#lastEntry = entry.catch(() => undefined);
    return entry;
  }

  async #enter(job: Omit<Job, "kind" | "attempts">, together: readonly Write[]): Promise<void> {
    const { jobs, writes, trade, queuedMax } = this.#deps;
    if ((await jobs.count(trade.kind)) >= queuedMax) throw queueFull();
    await writes.commit([...together, jobs.insertion({ ...job, kind: trade.kind, attempts: 0 })]);
    this.#fill();
  }

  async cancel(id: string, unbegun: () => readonly Write[]): Promise<boolean> {
    // One that is claimed just now is not among the hands yet.
    while (this.#filling !== null) await this.#filling;
    const hand = this.#hands.get(id);
    if (hand === undefined) {
      await this.#deps.writes.commit([this.#deps.jobs.removal(id), ...unbegun()]);
      return false;
    }
    hand.cancelled = true;
    hand.run?.abort();
    return (await hand.done) ? this.cancel(id, unbegun) : true;
  }

  async start(): Promise<void> {
    await this.#deps.jobs.releaseAll(this.#deps.trade.kind);
    this.#isWorking = true;
    this.#beat();
  }

  async close(): Promise<void> {
    this.#isWorking = false;
    this.#stopBeating();
    this.#stopPause();
    await this.#filling;
    const hands = [...this.#hands.values()];
    for (const { run } of hands) run?.abort();
    await Promise.all(hands.map(({ done }) => done));
  }

  /** A sign of life, and a look for jobs whose holder has given none. */
  #beat(): void {
    if (!this.#isWorking) return;
    this.#fill();
    this.#stopBeating = this.#deps.clock.after(leaseMs / 3, () => this.#beat());
  }

  #fill(): void {
    this.#isFillingAgain = true;
    this.#filling ??= this.#takeJobs()
      .catch((thrown: unknown) => this.#deps.onTrouble(null, thrown))
      .finally(() => {
        this.#filling = null;
        // Asked for after the last look.
        if (this.#isFillingAgain) this.#fill();
      });
  }

  async #takeJobs(): Promise<void> {
    const { jobs, trade, clock, activeMax } = this.#deps;
    while (this.#isFillingAgain) {
      this.#isFillingAgain = false;
      // First of all: where the machine slept, the leases of what is in hand have run out, and would be claimed.
      await this.#renew();
      while (this.#isWorking && this.#hands.size < activeMax && !this.#isPaused) {
        const job = await jobs.claim(trade.kind, clock.now(), clock.now() + leaseMs);
        if (job === null) break;
        if (this.#hands.has(job.id)) continue;
        const hand: Hand = { job, run: null, cancelled: false, done: Promise.resolve(false) };
        this.#hands.set(job.id, hand);
        hand.done = this.#work(hand);
      }
    }
  }

  async #renew(): Promise<void> {
    const { jobs, clock } = this.#deps;
    if (this.#hands.size > 0) await jobs.renew([...this.#hands.keys()], clock.now() + leaseMs);
  }

  /** Never rejects. @returns whether the job is in the queue again. */
  async #work(hand: Hand): Promise<boolean> {
    const { job } = hand;
    try {
      const isPutBack = await this.#isPutBack(hand);
      if (isPutBack) await this.#deps.jobs.release(job.id);
      return isPutBack;
    } catch (thrown) {
      this.#deps.onTrouble(job.id, thrown);
      return true;
    } finally {
      this.#hands.delete(job.id);
      // A turn for everything else: jobs that come to nothing at once would go on for as long as there are any.
      setImmediate(() => this.#fill());
    }
  }

  /** Does the job. @returns whether it is to be begun anew. */
  async #isPutBack(hand: Hand): Promise<boolean> {
    const { trade, jobs, writes } = this.#deps;
    const { job } = hand;
    try {
      if (job.attempts > attemptsMax) throw givenUp();
      const undertaking = await trade.undertake(job);
      if (!this.#isWorking) return true;
      if (undertaking !== null) return await this.#run(hand, undertaking);
      await writes.commit([jobs.removal(job.id)]);
      return false;
    } catch (thrown) {
      const error = asHearthError(thrown);
      if (this.#isBusy(error)) return true;
      if (error.kind === "internal") this.#deps.onTrouble(job.id, error.cause ?? error);
      await writes.commit([...(await trade.failure(job, error)), jobs.removal(job.id)]);
      return false;
    }
  }

  async #run(hand: Hand, undertaking: Undertaking): Promise<boolean> {
    const { generator, jobs, trade } = this.#deps;
    const { job } = hand;
    const { principal, request, keeper, admission } = undertaking;
    let isPutBack = true;
    const run = generator.start(request, {
      principal,
      requestId: job.id,
      endpoint: job.endpoint,
      workClass: trade.workClass,
      admission,
      keeper: {
        add: (event) => keeper.add(event),
        writes: (end) => {
          const isBusy = end.failure !== null && this.#isBusy(end.failure);
          isPutBack = isBusy || (end.state === "aborted" && !hand.cancelled);
          return isPutBack ? null : [...(keeper.writes(end) ?? []), jobs.removal(job.id)];
        },
      },
    });
    hand.run = run;
    if (hand.cancelled || !this.#isWorking) run.abort();
    await readToEnd(run);
    // Where its outcome could not be written its row is there still: it is begun anew when its lease is over.
    const left = await jobs.find(job.id).catch(() => job);
    undertaking.ended(left === null ? "written" : "put-back");
    return isPutBack;
  }

  /** Whether the server is too busy just now; no job is begun until it may be less so. */
  #isBusy({ kind, retryAfterSeconds }: HearthError): boolean {
    if (kind !== "overloaded") return false;
    this.#stopPause();
    this.#isPaused = true;
    this.#stopPause = this.#deps.clock.after((retryAfterSeconds ?? 1) * 1000, () => {
      this.#isPaused = false;
      this.#fill();
    });
    return true;
  }
}

/** How a run ended is its keeper's to know. */
async function readToEnd(run: Run): Promise<void> {
  try {
    for await (const event of run.events) void event;
  } catch {
    // Kept already, as the failure that it is.
  }
  await run.settled;
}

function queueFull(): HearthError {
  return new HearthError("overloaded", "Too much work is put off already. Please try again later.", {
    retryAfterSeconds: 30,
  });
}

function givenUp(): HearthError {
  return new HearthError(
    "internal",
    `The server stopped ${attemptsMax} times while it worked on this request, so it was given up.`,
  );
}
