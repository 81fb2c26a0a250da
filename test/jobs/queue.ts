/**
 * The queue of jobs over a real database, with runs that a test ends as it likes, and processes that die: whatever a queue
 * whose process is dead still has on its way never happens.
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import type { HearthError } from "../../src/core/errors.js";
import type { GenerationRequest } from "../../src/core/generation.js";
import type { Job, JobStore } from "../../src/jobs/job.js";
import type { Write, Writes } from "../../src/store/write.js";
import type { Run } from "../../src/inference/run/generate.js";
import { createJobQueue, type JobQueue, type Trade } from "../../src/jobs/queue.js";
import type { RunEnd } from "../../src/inference/run/recorder.js";
import { openDatabase } from "../../src/store/database.js";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { ember } from "../dialects/model.js";
import { temporaryFolder } from "../harness.js";
import { createManualClock } from "../http/manual-clock.js";
import { aKey, aTeam } from "../store/records.js";

/** How long a job is held without a sign of life. */
export const leaseMs = 30_000;

export interface TestRun {
  readonly id: string;
  /** As the job told when it was begun. */
  readonly attempts: number;
  /** How it was settled; null while it runs, and for ever where its process died. */
  ended: RunEnd["state"] | null;
}

/** What goes wrong, until a test sets it right. */
interface Failures {
  starting: HearthError | null;
  running: HearthError | null;
  settling: Error | null;
  /** How often settling went wrong. */
  settlings: number;
}

/** A database with nothing in the queue, and the first process's queue over it, not started. */
export async function jobQueue(limits: { readonly queuedMax?: number; readonly activeMax?: number } = {}) {
  const file = join(temporaryFolder(), "hearth.db");
  const database = await openDatabase(file);
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
  const clock = leapingClock();
  const runs: TestRun[] = [];
  const waits = new Map<string, Promise<unknown>>();
  const fail: Failures = { starting: null, running: null, settling: null, settlings: 0 };
  const ended = (id: string, outcome: string): readonly Write[] => [
    deferred.ending(id, { state: "done", answer: outcome }, clock.now() + 1e9),
  ];
  const world = { jobs, writes, clock, runs, waits, fail, ended, ...limits };
  let life = aLife(world);
  return {
    ...world,
    queue: life.queue,
    /** The process dies, as it is; another one begins over the same database. */
    restart: (): { readonly queue: JobQueue } => {
      life.die();
      life = aLife(world);
      return life;
    },
    /** Puts a job in; its runs end when `wait` resolves. */
    put: async (id: string, wait: Promise<unknown> = Promise.resolve()): Promise<void> => {
      waits.set(id, wait);
      const createTime = clock.now();
      const asker = { teamId: "team-1", apiKeyId: "key-1", endpoint: "/v1/chat/completions" };
      const pending = deferred.insertion({ id, teamId: "team-1", createTime });
      await life.queue.enqueue({ id, ...asker, body: "{}", createTime }, [pending]);
    },
    /** What is written of each job that is over: `completed`, `aborted`, `cancelled`, or the error. */
    outcomes: () => outcomesOf(watching),
    /** What a canceller has written of a job that nobody had begun. */
    cancelled: (id: string) => ended(id, "cancelled"),
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

/** A clock that a test moves, or lets leap: the time is another at once, and no timer has heard of it. */
function leapingClock() {
  const clock = createManualClock(1_000_000);
  let leapt = 0;
  return {
    ...clock,
    now: () => clock.now() + leapt,
    leap: (ms: number): void => void (leapt += ms),
  };
}

interface World {
  readonly jobs: JobStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly runs: TestRun[];
  readonly waits: ReadonlyMap<string, Promise<unknown>>;
  readonly fail: Failures;
  readonly ended: (id: string, outcome: string) => readonly Write[];
  readonly queuedMax?: number;
  readonly activeMax?: number;
}

/** What a process has of the queue. */
function aLife(world: World): { readonly queue: JobQueue; die(): void } {
  const { jobs, writes, clock, ended } = world;
  let isAlive = true;
  const alive = <A extends readonly unknown[], T>(action: (...values: A) => Promise<T>) => {
    return (...values: A): Promise<T> =>
      isAlive
        ? action(...values).then((result) => (isAlive ? result : new Promise<never>(() => undefined)))
        : new Promise<never>(() => undefined);
  };
  const attempts = new Map<string, number>();
  const settle = alive(async (run: TestRun, state: RunEnd["state"], kept: readonly Write[]) => {
    if (world.fail.settling !== null) {
      world.fail.settlings += 1;
      throw world.fail.settling;
    }
    await writes.commit(kept);
    run.ended = state;
  });
  const queue = createJobQueue({
    trade: tradeOf(attempts, ended),
    jobs: {
      insertion: (job) => jobs.insertion(job),
      removal: (id) => jobs.removal(id),
      claim: alive((...values) => jobs.claim(...values)),
      renew: alive((...values) => jobs.renew(...values)),
      release: alive((id) => jobs.release(id)),
      releaseAll: alive((kind) => jobs.releaseAll(kind)),
      find: alive((id) => jobs.find(id)),
      count: alive((kind) => jobs.count(kind)),
    },
    writes: { commit: alive((each) => writes.commit(each)) },
    generator: {
      start(_request, { requestId: id, keeper }) {
        if (world.fail.starting !== null) throw world.fail.starting;
        const run: TestRun = { id, attempts: attempts.get(id) ?? 0, ended: null };
        world.runs.push(run);
        return aRun(world, id, (state, failure) =>
          settle(run, state, keeper?.writes({ state, failure }) ?? []),
        );
      },
    },
    clock: { ...clock, after: (ms, action) => clock.after(ms, () => (isAlive ? action() : undefined)) },
    queuedMax: world.queuedMax ?? 1000,
    activeMax: world.activeMax ?? 4,
    onTrouble: () => undefined,
  });
  return { queue, die: () => void (isAlive = false) };
}

/** The request is nothing, the answer is how the run ended. */
function tradeOf(attempts: Map<string, number>, ended: World["ended"]): Trade {
  return {
    kind: "deferred-completion",
    workClass: "deferred",
    undertake(job: Job) {
      attempts.set(job.id, job.attempts);
      return Promise.resolve({
        principal: { key: aKey(), team: aTeam() },
        request: {} as GenerationRequest,
        admission: { settle: () => undefined },
        keeper: {
          add: () => undefined,
          writes: ({ state, failure }) => ended(job.id, failure === null ? state : textOf(failure)),
        },
        ended: () => undefined,
      });
    },
    failure: (job, error) => Promise.resolve(ended(job.id, textOf(error))),
  };
}

function textOf({ kind, message }: HearthError): string {
  return `${kind}: ${message}`;
}

/** A run as the generator makes it: it settles in its own time, whether or not anybody reads. */
function aRun(
  { waits, fail }: World,
  id: string,
  settle: (state: RunEnd["state"], failure: HearthError | null) => Promise<void>,
): Run {
  const leaving = new AbortController();
  const left = new Promise<void>((resolve) => leaving.signal.addEventListener("abort", () => resolve()));
  const settled = Promise.race([waits.get(id), left]).then(async () => {
    const ended = leaving.signal.aborted ? "aborted" : "completed";
    // The generator tells what could not be written to its own log.
    await settle(fail.running === null ? ended : "failed", fail.running).catch(() => undefined);
  });
  const end = { done: true, value: undefined } as const;
  return {
    id,
    model: ember,
    choices: 1,
    timings: { queueMs: null, prefillMs: null, ttftMs: null, decodeTps: null, cachedTokens: null },
    events: { [Symbol.asyncIterator]: () => ({ next: () => settled.then(() => end) }) },
    abort: () => leaving.abort(),
    settled,
  };
}
