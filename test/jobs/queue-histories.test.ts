import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HearthError } from "../../src/core/errors.js";
import type { JobQueue } from "../../src/jobs/queue.js";
import { gate, until } from "../kit/until.js";
import { jobQueue, leaseMs } from "./queue.js";
import { casesOf } from "../kit/setup/random-cases.js";

/** The next step, and how many microtasks after the previous one it happens. */
interface Step {
  readonly what: "put" | "finish" | "cancel" | "crash" | "close" | "busy" | "free" | "time" | "jump";
  readonly which: number;
  readonly turns: number;
}

const step = (what: Step["what"], weight: number) => ({ weight, arbitrary: fc.constant(what) });
const steps = fc.array(
  fc.record<Step>({
    what: fc.oneof(
      step("put", 8),
      step("finish", 6),
      step("cancel", 4),
      step("crash", 2),
      step("close", 2),
      step("busy", 1),
      step("free", 2),
      step("time", 2),
      step("jump", 1),
    ),
    which: fc.nat(100),
    turns: fc.oneof(fc.nat(60), fc.constant(300)),
  }),
  { minLength: 5, maxLength: 40 },
);

const overloaded = new HearthError("overloaded", "Busy.");

class History {
  /** Jobs that were reported as accepted. */
  readonly accepted: string[] = [];
  /** Jobs that were reported as cancelled, with the runs they had by then. */
  readonly cancelled = new Map<string, number>();
  crashes = 0;
  readonly #world: Awaited<ReturnType<typeof jobQueue>>;
  readonly #gates = new Map<string, ReturnType<typeof gate>>();
  #queue: JobQueue;

  constructor(world: Awaited<ReturnType<typeof jobQueue>>) {
    this.#world = world;
    this.#queue = world.queue;
  }

  async apply({ what, which, turns }: Step): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const world = this.#world;
    if (what === "put") this.#put();
    if (what === "finish") [...this.#gates.values()].at(which % Math.max(1, this.#gates.size))?.open();
    if (what === "cancel") this.#cancel(which);
    if (what === "crash") await this.#crash();
    if (what === "close") await this.#queue.close().then(() => this.#next());
    if (what === "busy") world.fail.starting = overloaded;
    if (what === "free") world.fail.starting = null;
    if (what === "time") world.clock.advance(leaseMs / 2);
    if (what === "jump") world.clock.jump(2 * leaseMs);
  }

  /** Lets every accepted job end in a last process. */
  async finish(): Promise<void> {
    this.#world.fail.starting = null;
    for (const each of this.#gates.values()) each.open();
    await this.#crash();
    await until(() => this.accepted.every((id) => this.#world.outcomes().has(id)));
    await this.#queue.close();
  }

  #put(): void {
    const id = `job-${String(this.#gates.size).padStart(3, "0")}`;
    const wait = gate();
    this.#gates.set(id, wait);
    void this.#world.put(id, wait.opened).then(() => this.accepted.push(id));
  }

  #cancel(which: number): void {
    const id = this.accepted.at(which % Math.max(1, this.accepted.length));
    if (id === undefined) return;
    void this.#queue
      .cancel(id, () => this.#world.cancelled(id))
      .then(() => this.cancelled.set(id, this.runsOf(id).length));
  }

  async #crash(): Promise<void> {
    this.crashes += 1;
    await this.#next();
  }

  async #next(): Promise<void> {
    this.#queue = this.#world.restart().queue;
    await this.#queue.start();
  }

  runsOf(id: string) {
    return this.#world.runs.filter((run) => run.id === id);
  }
}

describe("for any history of events", () => {
  it("every accepted job ends exactly once, or is cancelled", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(steps, async (events) => {
        const world = await jobQueue({ activeMax: 2 });
        await world.queue.start();
        const history = new History(world);
        for (const each of events) await history.apply(each);
        await history.finish();
        const outcomes = world.outcomes();
        for (const id of history.accepted) {
          const outcome = outcomes.get(id) ?? "none";
          seen.add(outcome);
          const runs = history.runsOf(id);
          const completed = runs.filter(({ ended }) => ended === "completed");
          expect(completed, `${id} ${outcome}`).toHaveLength(outcome === "completed" ? 1 : 0);
          if (outcome.startsWith("internal: The server stopped 3 times"))
            expect(history.crashes).toBeGreaterThanOrEqual(3);
          else expect(["completed", "cancelled", "aborted"]).toContain(outcome);
          // No run starts for a job that was reported as cancelled.
          expect(runs.length).toBe(history.cancelled.get(id) ?? runs.length);
        }
        expect(await world.jobs.count("deferred-completion")).toBe(0);
      }),
      { numRuns: casesOf(160) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(["completed", "cancelled", "aborted"]));
  });
});
