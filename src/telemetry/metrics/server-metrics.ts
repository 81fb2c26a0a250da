/**
 * Metrics in the Prometheus text format. Labels hold route patterns and ids of existing models, never values that a
 * client chooses. Events arrive through the port in core/metrics.ts; gauges are read at each scrape.
 */
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../../core/clock.js";
import type { FinishedRun, FinishedLoad, Metrics, RedisState, ServerLoad } from "../../core/metrics.js";
import { observeGenAi, type AccountLabels } from "./gen-ai.js";
import { createFaultCounts, type RecentFaults } from "./recent-faults.js";
import type { Scope } from "../../accounts/visibility.js";

export type ServerMetrics = ReturnType<typeof createMetrics>;

/** Builds the metrics; `load` and `redis` are called at each scrape. @param redis null: it does not count limits */
export function createMetrics(
  load: () => ServerLoad,
  clock: Clock,
  labels: AccountLabels,
  redis: (() => RedisState) | null = null,
) {
  const registry = new Registry();
  const requestFinished = countRequests(registry);
  const countRun = countRuns(registry);
  const observeRun = observeGenAi(registry, labels);
  const modelLoaded = timeLoads(registry);
  const imageStepFinished = countSteps(registry);
  const recentTokens = createRecentTokens(clock);
  const faults = createFaultCounts(clock);
  const notLoaded = new Map<string, string>();
  addLoadGauges(registry, load);
  if (redis !== null) addRedisGauges(registry, redis);
  const close = addProcessGauges(registry);
  const events: Metrics = {
    requestFinished(request) {
      requestFinished(request);
      faults.addRequest(request);
    },
    runFinished(run) {
      countRun(run);
      observeRun(run);
      faults.addRun(run);
    },
    modelNotLoaded: ({ model, reason }) => void notLoaded.set(model, reason),
    tokensSampled: (key, tokens) => recentTokens.add(key, tokens),
    modelLoaded(load) {
      modelLoaded(load);
      notLoaded.delete(load.model);
    },
    imageStepFinished,
  };
  return {
    ...events,
    /** Returns the current value of every metric. */
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    /** Returns the tokens of a scope that were sampled in each of the last 60 whole seconds, the oldest first. */
    recentTokens: (scope: Scope): readonly number[] => recentTokens.read(scope),
    /** Returns the requests and runs of the last minutes, and how many of them failed by no fault of their client. */
    recentFaults: (minutes: number): RecentFaults => faults.read(minutes),
    /** Returns the models whose last load failed, with the reason. */
    modelsNotLoaded: (): ReadonlyMap<string, string> => notLoaded,
    /** Stops the measurement of the event loop. */
    close,
  };
}

function countRequests(registry: Registry): Metrics["requestFinished"] {
  const registers = [registry];
  const count = new Counter({
    name: "hearth_requests_total",
    help: "Finished requests by route pattern and status; 499: the client disconnected.",
    labelNames: ["route", "status"] as const,
    registers,
  });
  const seconds = new Histogram({
    name: "hearth_request_seconds",
    help: "Time from the headers of a request to the end of its response.",
    labelNames: ["route"] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  return ({ route, status, durationMs }) => {
    count.inc({ route, status });
    seconds.observe({ route }, durationMs / 1000);
  };
}

function countRuns(registry: Registry): Metrics["runFinished"] {
  const registers = [registry];
  const runs = new Counter({
    name: "hearth_runs_total",
    help: "Finished runs of a model by state: completed, aborted or failed.",
    labelNames: ["model", "state"] as const,
    registers,
  });
  const ttft = new Histogram({
    name: "hearth_ttft_seconds",
    help: "Time from an accepted request to the first token of its answer.",
    labelNames: ["model"] as const,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers,
  });
  const decode = new Histogram({
    name: "hearth_decode_tokens_per_second",
    help: "Speed of one answer, from its first token to its last.",
    labelNames: ["model"] as const,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
    registers,
  });
  const countTokens = tokenCounters(registry);
  return (run) => {
    const { model, state, ttftMs, decodeTps } = run;
    runs.inc({ model, state });
    countTokens(run);
    if (ttftMs !== null) ttft.observe({ model }, ttftMs / 1000);
    if (decodeTps !== null) decode.observe({ model }, decodeTps);
  };
}

function tokenCounters(registry: Registry): (run: FinishedRun) => void {
  const registers = [registry];
  const tokens = new Counter({
    name: "hearth_tokens_total",
    help: "Tokens of finished runs; prompt includes cached, completion excludes reasoning.",
    labelNames: ["model", "kind"] as const,
    registers,
  });
  const prefix = new Counter({
    name: "hearth_prefix_cache_tokens_total",
    help: "Prompt tokens of finished runs: hit were in the prefix cache, miss were not.",
    labelNames: ["model", "result"] as const,
    registers,
  });
  const generatedImages = new Counter({
    name: "hearth_images_total",
    help: "Images generated by finished runs.",
    labelNames: ["model"] as const,
    registers,
  });
  return ({ model, usage }) => {
    const { promptTokens, cachedTokens, completionTokens, reasoningTokens, images } = usage;
    if (images !== undefined) generatedImages.inc({ model }, images);
    tokens.inc({ model, kind: "prompt" }, promptTokens);
    tokens.inc({ model, kind: "cached" }, cachedTokens);
    tokens.inc({ model, kind: "completion" }, completionTokens);
    tokens.inc({ model, kind: "reasoning" }, reasoningTokens);
    prefix.inc({ model, result: "hit" }, cachedTokens);
    prefix.inc({ model, result: "miss" }, promptTokens - cachedTokens);
  };
}

function countSteps(registry: Registry): Metrics["imageStepFinished"] {
  const steps = new Counter({
    name: "hearth_image_steps_total",
    help: "Finished denoising steps, including those of images in progress.",
    labelNames: ["model"] as const,
    registers: [registry],
  });
  return (model) => steps.inc({ model });
}

function timeLoads(registry: Registry): (load: FinishedLoad) => void {
  const seconds = new Histogram({
    name: "hearth_model_load_seconds",
    help: "Time to load a requested model, including eviction of other models and verification of weights.",
    labelNames: ["model"] as const,
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers: [registry],
  });
  return ({ model, durationMs }) => seconds.observe({ model }, durationMs / 1000);
}

function addLoadGauges(registry: Registry, load: () => ServerLoad): void {
  const registers = [registry];
  const queue: Gauge = new Gauge({
    name: "hearth_queue_depth",
    help: "Runs that wait for a slot.",
    registers,
    collect: () => queue.set(load().queueDepth),
  });
  const slots = new Gauge({
    name: "hearth_slots",
    help: "Slots of loaded models: held and total.",
    labelNames: ["model", "state"] as const,
    registers,
    collect() {
      // An unloaded model has no slots.
      slots.reset();
      for (const { id, slots: total, slotsHeld } of load().models) {
        slots.set({ model: id, state: "held" }, slotsHeld);
        slots.set({ model: id, state: "total" }, total);
      }
    },
  });
}

/** Adds what is known of the counting of rate limits in Redis, read at each scrape. */
function addRedisGauges(registry: Registry, read: () => RedisState): void {
  const registers = [registry];
  const up: Gauge = new Gauge({
    name: "hearth_limits_redis_up",
    help: "Whether Redis counts rate limits: 1, or 0 while it cannot be used.",
    registers,
    collect: () => up.set(read().problem === null ? 1 : 0),
  });
  const missed: Counter = new Counter({
    name: "hearth_limits_without_redis_total",
    help: "Counts of rate limits that Redis did not make: the server counted them itself, or refused the request.",
    registers,
    collect() {
      missed.reset();
      missed.inc(read().missed);
    },
  });
}

/** Interval of the measurement of the event loop; the lag is the time beyond it. */
const resolutionMs = 20;

/** Adds gauges of event loop lag and memory, read at each scrape. @returns a function that stops the measurement. */
function addProcessGauges(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  addLag(registry, delays);
  addMemory(registry);
  return () => void delays.disable();
}

function addLag(registry: Registry, delays: IntervalHistogram): void {
  const lag = new Gauge({
    name: "hearth_event_loop_lag_seconds",
    help: "Lag of the event loop since the previous scrape.",
    labelNames: ["quantile"] as const,
    registers: [registry],
    collect() {
      lag.set({ quantile: "0.5" }, lagSeconds(delays.percentile(50)));
      lag.set({ quantile: "0.99" }, lagSeconds(delays.percentile(99)));
      delays.reset();
    },
  });
}

/** Converts a measured interval in nanoseconds to the lag beyond the planned interval, in seconds. */
function lagSeconds(intervalNs: number): number {
  return Math.max(0, intervalNs / 1e9 - resolutionMs / 1000);
}

function addMemory(registry: Registry): void {
  const add = (name: string, help: string, bytes: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(bytes()) });
  };
  const rss = "Resident memory of the whole process, including models.";
  const heap = "JavaScript heap in use by the main thread.";
  const external = "Memory outside the JavaScript heap that its objects hold.";
  add("process_resident_memory_bytes", rss, () => process.memoryUsage.rss());
  add("nodejs_heap_size_used_bytes", heap, () => process.memoryUsage().heapUsed);
  add("nodejs_external_memory_bytes", external, () => process.memoryUsage().external);
}

// The tokens that were sampled in the last minute, by second, team and owner of the key.

const secondsMax = 60;

/** Whose key a run has. */
interface Owner {
  readonly teamId: string;
  readonly userId: string;
}

/** The tokens of one second: by team, and there by owner. */
type Second = Map<string, Map<string, number>>;

/** Counts tokens; what is older than a minute is forgotten. */
function createRecentTokens(clock: Clock) {
  /** By second; at most `secondsMax` and the one that has not ended. */
  const bySecond = new Map<number, Second>();
  const secondNow = (): number => Math.floor(clock.monotonic() / 1000);
  return {
    add({ teamId, userId }: Owner, tokens: number): void {
      const second = secondNow();
      let teams = bySecond.get(second);
      if (teams === undefined) {
        for (const old of bySecond.keys()) if (old < second - secondsMax) bySecond.delete(old);
        teams = new Map<string, Map<string, number>>();
        bySecond.set(second, teams);
      }
      const owners = teams.get(teamId) ?? new Map<string, number>();
      teams.set(teamId, owners.set(userId, (owners.get(userId) ?? 0) + tokens));
    },
    /** Returns the tokens of each of the last 60 whole seconds, the oldest first. */
    read(scope: Scope): readonly number[] {
      const first = secondNow() - secondsMax;
      return Array.from({ length: secondsMax }, (_, at) => sumTokens(bySecond.get(first + at), scope));
    },
  };
}

function sumTokens(teams: Second | undefined, { teamId, ownerId }: Scope): number {
  if (teams === undefined) return 0;
  const seen = teamId === null ? [...teams.values()] : [teams.get(teamId) ?? new Map<string, number>()];
  return seen
    .flatMap((owners) => (ownerId === null ? [...owners.values()] : [owners.get(ownerId) ?? 0]))
    .reduce((sum, tokens) => sum + tokens, 0);
}
