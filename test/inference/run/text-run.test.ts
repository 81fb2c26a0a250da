import { LiveRuns } from "../../../src/inference/run/live-runs.js";
import { aKey } from "../../kit/a-key.js";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noTools, type GenerationRequest } from "../../../src/core/generation.js";
import type { RunEvent } from "../../../src/core/run-event.js";
import { addEvent, noUsage } from "../../../src/core/usage.js";
import type { RunStore } from "../../../src/inference/run/store/runs.js";
import { createScriptedEngine, type Script } from "../../kit/scripted/engine.js";
import { createGenerator } from "../../../src/inference/run/text/generator.js";
import type { TextRun } from "../../../src/inference/run/text/text-run.js";
import { Scheduler } from "../../../src/scheduler/scheduler.js";
import { openDatabase } from "../../../src/store/database.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { buildAccountStores, buildBudgetGuard } from "../../../src/app/accounts.js";
import { noTracing } from "../../../src/core/telemetry/tracing.js";
import { silentLogger } from "../../../src/core/logger.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { defaultTeamSettings } from "../../../src/accounts/principals/team.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import { noCaptioning } from "../../kit/scripted/no-captioning.js";
import { ember } from "../../kit/scripted/ember.js";
import { temporaryFolder } from "../../kit/folder.js";
import { gate } from "../../kit/until.js";
import { testSchemas } from "../../kit/worker-threads.js";

const team = {
  id: "team",
  name: "team",
  billing: "unmetered",
  ...defaultTeamSettings,
  createTime: 0,
} as const;
const key = aKey({ id: "key", teamId: "team", acls: [] });
const context = { principal: { key, team }, requestId: "request", endpoint: "/v1/chat/completions" };
const request: GenerationRequest = {
  model: "ember",
  messages: [{ role: "user", content: "Hello" }],
  tools: [],
  toolChoice: noTools,
  format: { type: "text" },
  topLogprobs: null,
  choices: 1,
  reasoningEffort: "none",
  sampling: {
    temperature: 0,
    topP: 1,
    seed: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    topK: null,
    minP: 0,
    logitBias: {},
  },
  stop: [],
  maxTokens: null,
  maxTokensExcludesReasoning: true,
  deterministic: false,
};

/** A generator over the scripted engine, the real scheduler and a real database; `change` may make its run store fail. */
async function createTestGenerator(
  script: Script,
  change: (runs: RunStore) => RunStore = (runs) => runs,
  onLoad: () => Promise<void> = () => Promise.resolve(),
) {
  const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
  onTestFinished(() => database.close());
  await createTeamStore(database).insert(team);
  const runs = createRunStore(database);
  const engine = createScriptedEngine(script, { slots: 1, onLoad });
  const scheduler = new Scheduler({ queueDepthMax: 4 }, systemClock);
  const settleFailures: unknown[] = [];
  const liveRuns = new LiveRuns(systemClock, 8);
  const generator = createGenerator(liveRuns, {
    withoutSecrets: (text) => text,
    models: { list: () => [ember], find: (name) => (name === "ember" ? ember : null) },
    engine,
    schemas: testSchemas(),
    media: {
      prepare: (messages, _reads, teamId, signal) => noCaptioning.caption(messages, teamId, signal),
      prepareEarly: (messages, _model, teamId, signal) => noCaptioning.caption(messages, teamId, signal),
    },
    slots: scheduler,
    runs: change(runs),
    ledger: createLedgerStore(database),
    budgets: buildBudgetGuard({
      ...buildAccountStores(database),
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    }),
    metrics: {
      requestFinished: () => undefined,
      runFinished: () => undefined,
      tokensSampled: () => undefined,
      modelLoaded: () => undefined,
      modelNotLoaded: () => undefined,
      imageStepFinished: () => undefined,
    },
    tracing: noTracing,
    bodies: { charsMax: 1_000, record: () => Promise.resolve() },
    clock: systemClock,
    random: systemRandom,
    reasoningTokensMax: 4096,
    onSettleFailure: (_runId, thrown) => settleFailures.push(thrown),
  });
  return {
    engine,
    scheduler,
    runs,
    generator,
    liveRuns,
    settleFailures,
    start: () => generator.start(request, context),
  };
}

async function read(run: TextRun): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events) events.push(event);
  return events;
}

describe("a run", () => {
  it("emits with every event the usage up to it, and charges that of the last one", async () => {
    const { start, runs } = await createTestGenerator(() => ["one two three"]);
    const events = await read(start());
    let usage = noUsage;
    for (const event of events) {
      usage = addEvent(usage, event);
      const charged = event.type === "generation-end" ? { chargedTicks: 6 * 20 } : {};
      expect(event.usage).toEqual({ ...usage, ...charged });
    }
    const [row] = await runs.list(1);
    expect(row?.usage).toMatchObject(usage);
    expect(row?.costTicks).toBe(events.at(-1)?.usage.chargedTicks);
    expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 3 });
  });

  it.each(["add", "writes"] as const)(
    "F22: fails and costs nothing where a defect throws after its answer (%s), and the next one runs",
    async (where) => {
      const { generator, liveRuns, runs, start } = await createTestGenerator(() => ["one two three"]);
      const defect = (): never => {
        throw new RangeError("not a whole number of ticks");
      };
      const recorder = { add: () => undefined, writes: () => [], [where]: defect };
      const run = generator.start(request, { ...context, recorder });
      await expect(read(run)).rejects.toMatchObject({ kind: "internal" });
      await run.finished;
      expect(liveRuns.size).toBe(0);
      await read(start());
      const rows = await runs.list(2);
      expect(rows.map(({ state }) => state)).toContain("completed");
      expect(rows.find(({ state }) => state !== "completed")).toMatchObject({ costTicks: 0 });
    },
  );

  it("is settled, with the cost of every token, before its end is emitted", async () => {
    const { start, runs } = await createTestGenerator(() => ["one two three"]);
    const run = start();
    for await (const event of run.events) {
      const [row] = await runs.list(1);
      if (event.type !== "generation-end") continue;
      expect(row).toMatchObject({ id: run.id, state: "completed", requestId: "request", teamId: "team" });
      expect(row?.usage).toMatchObject({ promptTokens: 3, completionTokens: 3 });
      expect(row?.costTicks).toBe(6 * 20);
    }
    expect((await runs.list(9)).length).toBe(1);
  });

  it("continues without a reader, and is settled", async () => {
    const { start, runs } = await createTestGenerator(() => ["nobody looks"]);
    await start().finished;
    expect((await runs.list(1))[0]?.state).toBe("completed");
  });

  it("that is aborted is charged for what was produced, and frees its slot and its model", async () => {
    const held = gate();
    const { start, runs, engine, scheduler } = await createTestGenerator(() => [
      "one two",
      held.opened,
      "three",
    ]);
    const run = start();
    const events = run.events[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    run.abort();
    held.open();
    await run.finished;
    expect((await runs.list(1))[0]).toMatchObject({ state: "aborted", usage: { completionTokens: 2 } });
    expect(scheduler.load).toEqual({ running: 0, waiting: 0 });
    expect(engine.leases).toBe(0);
  });

  it("M3: whose engine fails costs nothing and counts nowhere, and reports the failure after the text", async () => {
    const { start, runs, engine } = await createTestGenerator(() => ["one two", new Error("out of luck")]);
    const run = start();
    await expect(read(run)).rejects.toThrow("An internal error occurred.");
    expect((await runs.list(1))[0]).toMatchObject({ state: "failed", costTicks: 0, usage: noUsage });
    expect(engine.leases).toBe(0);
  });

  it("fails when its row cannot be written, holds no slot, and the next run succeeds", async () => {
    let broken = true;
    const { start, engine, scheduler } = await createTestGenerator(
      () => ["one two three"],
      (runs) => ({
        ...runs,
        insert: (...written) => (broken ? Promise.reject(new Error("disk full")) : runs.insert(...written)),
      }),
    );
    const run = start();
    await expect(read(run)).rejects.toMatchObject({ kind: "internal" });
    await run.finished;
    expect(engine.active).toBe(0);
    expect(engine.leases).toBe(0);
    expect(scheduler.load.running).toBe(0);
    broken = false;
    expect((await read(start())).at(-1)?.type).toBe("generation-end");
  });

  it("returns its answer when its settlement fails, and reports the failure to the operator", async () => {
    const { start, settleFailures } = await createTestGenerator(
      () => ["one"],
      (runs) => ({ ...runs, finish: () => Promise.reject(new Error("disk full")) }),
    );
    expect((await read(start())).at(-1)?.type).toBe("generation-end");
    expect(settleFailures).toHaveLength(1);
  });

  it("that is aborted while its model loads releases the model as soon as it is loaded", async () => {
    const loading = gate();
    const { start, engine } = await createTestGenerator(
      () => ["one"],
      undefined,
      () => loading.opened,
    );
    const run = start();
    run.abort();
    await run.finished;
    loading.open();
    const lease = await engine.load(ember);
    expect(engine.leases).toBe(1);
    lease.release();
    expect(engine.leases).toBe(0);
  });

  it("beyond the limit on active runs is refused at once", async () => {
    const held = gate();
    const { start, liveRuns } = await createTestGenerator(() => [held.opened]);
    const runs = Array.from({ length: 8 }, start);
    for (const run of runs) run.finished.catch(() => undefined);
    expect(() => start()).toThrow(/too many requests/);
    for (const run of runs) run.abort();
    held.open();
    await Promise.all(runs.map((run) => run.finished));
    expect(liveRuns.size).toBe(0);
  });
});
