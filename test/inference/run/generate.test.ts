import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noTools, type GenerationEvent, type GenerationRequest } from "../../../src/core/generation.js";
import type { RunStore } from "../../../src/inference/run/run-record.js";
import { createScriptedEngine, type Script } from "../../../src/engine/scripted.js";
import { createGenerator, type Run } from "../../../src/inference/run/generate.js";
import { createScheduler } from "../../../src/scheduler/scheduler.js";
import { openDatabase } from "../../../src/store/database.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { systemClock, systemRandom } from "../../../src/system.js";
import { blind } from "../../blind.js";
import { ember } from "../../dialects/model.js";
import { temporaryFolder, testSchemas } from "../../harness.js";
import { gate } from "../../http/compose.js";

const team = {
  id: "team",
  name: "team",
  billing: "unmetered",
  blocked: false,
  weight: 1,
  createTime: 0,
} as const;
const key = {
  id: "key",
  teamId: "team",
  userId: "user",
  name: "key",
  hash: new Uint8Array(32),
  redacted: "hk-...abcd",
  acls: [],
  disabled: false,
  blocked: false,
  expireTime: null,
  qps: null,
  qpm: null,
  tpm: null,
  previousHash: null,
  previousExpireTime: null,
  ipRanges: null,
  lastUseTime: null,
  createTime: 0,
  modifyTime: 0,
  modifiedBy: "user",
};
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

/** A generator over the scripted engine, the real scheduler and a real database whose run store `change` may break. */
async function street(
  script: Script,
  change: (runs: RunStore) => RunStore = (runs) => runs,
  onLoad: () => Promise<void> = () => Promise.resolve(),
) {
  const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
  onTestFinished(() => database.close());
  await createTeamStore(database).insert(team);
  const runs = createRunStore(database);
  const engine = createScriptedEngine(script, { slots: 1, onLoad });
  const scheduler = createScheduler({ queueDepthMax: 4 }, systemClock);
  const settleFailures: unknown[] = [];
  const generator = createGenerator({
    models: { list: () => [ember], find: (name) => (name === "ember" ? ember : null) },
    engine,
    schemas: testSchemas(),
    grounding: blind,
    slots: scheduler,
    runs: change(runs),
    ledger: createLedgerStore(database),
    metrics: {
      requestAnswered: () => undefined,
      runEnded: () => undefined,
      modelLoaded: () => undefined,
      drawingStep: () => undefined,
    },
    clock: systemClock,
    random: systemRandom,
    runsActiveMax: 8,
    onSettleFailure: (_runId, thrown) => settleFailures.push(thrown),
  });
  return {
    engine,
    scheduler,
    runs,
    generator,
    settleFailures,
    start: () => generator.start(request, context),
  };
}

async function read(run: Run): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of run.events) events.push(event);
  return events;
}

describe("a run", () => {
  it("has its row settled, with the cost of every token, before its end is told", async () => {
    const { start, runs } = await street(() => ["one two three"]);
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

  it("goes on without a reader, and settles", async () => {
    const { start, runs } = await street(() => ["nobody looks"]);
    await start().settled;
    expect((await runs.list(1))[0]?.state).toBe("completed");
  });

  it("that is aborted is charged for what was produced, and frees its slot and its model", async () => {
    const held = gate();
    const { start, runs, engine, scheduler } = await street(() => ["one two", held.opened, "three"]);
    const run = start();
    const events = run.events[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    run.abort();
    held.open();
    await run.settled;
    expect((await runs.list(1))[0]).toMatchObject({ state: "aborted", usage: { completionTokens: 2 } });
    expect(scheduler.load).toEqual({ running: 0, waiting: 0 });
    expect(engine.leases).toBe(0);
  });

  it("whose engine fails half-way is charged for what was produced, and tells of the failure after the text", async () => {
    const { start, runs, engine } = await street(() => ["one two", new Error("out of luck")]);
    const run = start();
    await expect(read(run)).rejects.toThrow("An internal error occurred.");
    expect((await runs.list(1))[0]).toMatchObject({ state: "failed", usage: { completionTokens: 2 } });
    expect(engine.leases).toBe(0);
  });

  it("F11: whose row cannot be written fails, holds nothing, and the next one is served", async () => {
    let broken = true;
    const { start, engine, scheduler } = await street(
      () => ["one two three"],
      (runs) => ({
        ...runs,
        insert: (...written) => (broken ? Promise.reject(new Error("disk full")) : runs.insert(...written)),
      }),
    );
    const run = start();
    await expect(read(run)).rejects.toMatchObject({ kind: "internal" });
    await run.settled;
    expect(engine.active).toBe(0);
    expect(engine.leases).toBe(0);
    expect(scheduler.load.running).toBe(0);
    broken = false;
    expect((await read(start())).at(-1)?.type).toBe("generation-end");
  });

  it("F11: whose settling fails gives its answer all the same, and the operator is told", async () => {
    const { start, settleFailures } = await street(
      () => ["one"],
      (runs) => ({ ...runs, settle: () => Promise.reject(new Error("disk full")) }),
    );
    expect((await read(start())).at(-1)?.type).toBe("generation-end");
    expect(settleFailures).toHaveLength(1);
  });

  it("that leaves while its model loads lets go of the model as soon as it is there", async () => {
    const loading = gate();
    const { start, engine } = await street(
      () => ["one"],
      undefined,
      () => loading.opened,
    );
    const run = start();
    run.abort();
    await run.settled;
    loading.open();
    const lease = await engine.load(ember);
    expect(engine.leases).toBe(1);
    lease.release();
    expect(engine.leases).toBe(0);
  });

  it("beyond the bound on runs is refused at once", async () => {
    const held = gate();
    const { start, generator } = await street(() => [held.opened]);
    const runs = Array.from({ length: 8 }, start);
    for (const run of runs) run.settled.catch(() => undefined);
    expect(() => start()).toThrow(/too many requests/);
    for (const run of runs) run.abort();
    held.open();
    await Promise.all(runs.map((run) => run.settled));
    expect(generator.active.size).toBe(0);
  });
});
