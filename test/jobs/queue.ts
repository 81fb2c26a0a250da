/**
 * The queue of jobs over a real database, with runs that a test ends, and with simulated processes that die: a pending operation of a
 * dead process never completes.
 */
import { noUsage } from "../../src/core/usage.js";
import { noBroadcast } from "../../src/core/broadcast.js";
import { aKey } from "../kit/a-key.js";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import { BodyBudget } from "../../src/core/requests/body-budget.js";
import { noTracing } from "../../src/core/telemetry/tracing.js";
import type { Clock } from "../../src/core/clock.js";
import type { HearthError } from "../../src/core/errors.js";
import type { Job } from "../../src/jobs/job.js";
import type { JobStore } from "../../src/jobs/store.js";
import type { Write, Writes } from "../../src/store/writes.js";
import { Claims, leaseMs } from "../../src/jobs/claims.js";
import { JobQueue } from "../../src/jobs/queue.js";
import { toJobRun, type JobEnding, type JobHandler, type PreparedJob } from "../../src/jobs/handler.js";
import type { RunEvent } from "../../src/core/run-event.js";
import type { RunEnd } from "../../src/inference/run/run-record.js";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { temporaryFolder } from "../kit/folder.js";
import { createManualClock } from "../kit/manual-clock.js";
import { openNewDatabase } from "../kit/databases/new-database.js";
import { aTeam } from "../store/records.js";

export { leaseMs };

export interface TestRun {
  readonly id: string;
  /** Attempts of the job when it started. */
  readonly attempts: number;
  /** How it ended; null while it runs, and forever when its process died. */
  ended: RunEnd["state"] | null;
}

/** Failures that a test switches on and off. */
interface Failures {
  starting: HearthError | null;
  running: HearthError | null;
  settling: Error | null;
  /** Whether runs produce something before they fail. */
  events: boolean;
  /** How often settling failed. */
  failedSettlements: number;
}

/** A database with an empty queue, and the queue of the first process over it, not started. */
export async function jobQueue(limits: { readonly queuedMax?: number; readonly activeMax?: number } = {}) {
  const file = join(temporaryFolder(), "hearth.db");
  const database = await openNewDatabase(file);
  const watching = new Sqlite(file, { readonly: true });
  onTestFinished(async () => {
    watching.close();
    await database.close();
  });
  await createTeamStore(database).insert(aTeam());
  const [jobs, deferred, writes] = [
    createJobStore(database),
    createDeferredStore(database),
    createWrites(database),
  ];
  const clock = jumpingClock();
  const runs: TestRun[] = [];
  const waits = new Map<string, PromiseLike<unknown>>();
  const deadly = new Set<string>();
  const fail: Failures = {
    starting: null,
    running: null,
    settling: null,
    events: false,
    failedSettlements: 0,
  };
  const ended = (id: string, outcome: string): readonly Write[] => [
    deferred.ending(id, { state: "done", answer: outcome }, clock.now() + 1e9),
  ];
  const world = { jobs, writes, clock, runs, waits, deadly, fail, ended, ...limits };
  let process = startProcess(world);
  return {
    ...world,
    queue: process.queue,
    /** Kills the process; another one starts over the same database. */
    restart: (): { readonly queue: JobQueue } => {
      process.die();
      process = startProcess(world);
      return process;
    },
    /** Enqueues a job; its runs end when `wait` resolves. */
    put: async (id: string, wait: PromiseLike<unknown> = Promise.resolve()): Promise<void> => {
      waits.set(id, wait);
      const createTime = clock.now();
      const origin = { teamId: "team-1", apiKeyId: "key-1", endpoint: "/v1/chat/completions", tags: [] };
      const pending = deferred.insertion({ id, teamId: "team-1", userId: null, createTime });
      await process.queue.enqueue({ id, ...origin, body: "{}", createTime }, [pending]);
    },
    /** The written outcome of each job: `completed`, `aborted`, `cancelled`, or the error. */
    outcomes: () => outcomesOf(watching),
    /** The ending of a canceller for a job that has not started. */
    cancelled: (id: string): JobEnding => ({ writes: ended(id, "cancelled") }),
  };
}

function outcomesOf(watching: Sqlite.Database): ReadonlyMap<string, string> {
  const rows = watching
    .prepare<[], { id: string; outcome: string }>(
      "select id, outcome from deferred_completions where state <> 'pending'",
    )
    .all();
  return new Map(rows.map(({ id, outcome }) => [id, outcome]));
}

/** A clock that a test advances, or lets jump: then the time changes at once without firing timers. */
function jumpingClock() {
  const clock = createManualClock(1_000_000);
  let jumpedMs = 0;
  return {
    ...clock,
    now: () => clock.now() + jumpedMs,
    jump: (ms: number): void => void (jumpedMs += ms),
  };
}

interface World {
  readonly jobs: JobStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly runs: TestRun[];
  readonly waits: ReadonlyMap<string, PromiseLike<unknown>>;
  /** Jobs whose run ends the process as it starts. */
  readonly deadly: ReadonlySet<string>;
  readonly fail: Failures;
  readonly ended: (id: string, outcome: string) => readonly Write[];
  readonly queuedMax?: number;
  readonly activeMax?: number;
}

/** Starts a simulated process with a queue. */
function startProcess(world: World): { readonly queue: JobQueue; die(): void } {
  const { jobs, writes, clock, ended } = world;
  let isAlive = true;
  const alive = <A extends readonly unknown[], T>(action: (...values: A) => Promise<T>) => {
    return (...values: A): Promise<T> =>
      isAlive
        ? action(...values).then((result) => (isAlive ? result : new Promise<never>(() => undefined)))
        : new Promise<never>(() => undefined);
  };
  const attempts = new Map<string, number>();
  const settle = alive(async (run: TestRun, state: RunEnd["state"], rows: readonly Write[]) => {
    if (world.fail.settling !== null) {
      world.fail.failedSettlements += 1;
      throw world.fail.settling;
    }
    await writes.commit(rows);
    run.ended = state;
  });
  const queue = new JobQueue({
    handler: createHandler(attempts, ended, ({ requestId: id, recorder }) => {
      if (world.fail.starting !== null) throw world.fail.starting;
      const run: TestRun = { id, attempts: attempts.get(id) ?? 0, ended: null };
      world.runs.push(run);
      if (world.deadly.has(id)) isAlive = false;
      return toJobRun(
        aRun(world, id, (state, failure) => {
          if (world.fail.events) recorder?.add({ type: "generation-start" } as RunEvent);
          return settle(run, state, recorder?.writes({ state, failure, usage: noUsage }) ?? []);
        }),
      );
    }),
    jobs: {
      ...jobs,
      renew: alive((...values) => jobs.renew(...values)),
      release: alive((id) => jobs.release(id)),
      postpone: alive((id, until) => jobs.postpone(id, until)),
      releaseAll: alive((kind) => jobs.releaseAll(kind)),
      find: alive((id) => jobs.find(id)),
      hasNode: alive((id) => jobs.hasNode(id)),
      count: alive((kind) => jobs.count(kind)),
    },
    broadcast: noBroadcast,
    tracing: noTracing,
    claims: new Claims(
      {
        ...jobs,
        attempted: alive((...values) => jobs.attempted(...values)),
        claim: alive((...values) => jobs.claim(...values)),
        claimById: alive((...values) => jobs.claimById(...values)),
      },
      clock,
    ),
    writes: { commit: alive((each) => writes.commit(each)) },
    clock: { ...clock, after: (ms, action) => clock.after(ms, () => (isAlive ? action() : undefined)) },
    bodyBudget: new BodyBudget(clock, 1_048_576),
    queuedMax: world.queuedMax ?? 1000,
    activeMax: world.activeMax ?? 4,
    onError: () => undefined,
  });
  return { queue, die: () => void (isAlive = false) };
}

/** A handler whose request is empty and whose outcome is the state in which the run ended. */
function createHandler(
  attempts: Map<string, number>,
  ended: World["ended"],
  start: PreparedJob["start"],
): JobHandler {
  return {
    kind: "deferred-completion",
    workClass: "deferred",
    prepare(job: Job) {
      attempts.set(job.id, job.attempts);
      return Promise.resolve({
        principal: { key: aKey(), team: aTeam() },
        start,
        tokenReservation: { reconcile: () => undefined },
        recorder: {
          add: () => undefined,
          writes: ({ state, failure }) => ended(job.id, failure === null ? state : textOf(failure)),
        },
        ended: () => undefined,
      });
    },
    failure: (job, error) => Promise.resolve({ writes: ended(job.id, textOf(error)) }),
  };
}

function textOf({ kind, message }: HearthError): string {
  return `${kind}: ${message}`;
}

/** A run as the generator starts it: it is settled whether or not anyone reads it. */
function aRun(
  { waits, fail }: World,
  id: string,
  settle: (state: RunEnd["state"], failure: HearthError | null) => Promise<void>,
): Parameters<typeof toJobRun>[0] {
  const aborting = new AbortController();
  const aborted = new Promise<void>((resolve) => aborting.signal.addEventListener("abort", () => resolve()));
  const settled = Promise.race([waits.get(id), aborted]).then(async () => {
    const ended = aborting.signal.aborted ? "aborted" : "completed";
    // The generator reports a failed settlement itself.
    await settle(fail.running === null ? ended : "failed", fail.running).catch(() => undefined);
  });
  const end = { done: true, value: undefined } as const;
  return {
    events: { [Symbol.asyncIterator]: () => ({ next: () => settled.then(() => end) }) },
    abort: () => aborting.abort(),
    finished: settled,
  };
}
