/**
 * GET /metrics: the figures of this server in Prometheus' text format. Owns a registry of its own, what each figure is
 * called, and which labels it has: routes as patterns, models that exist, nothing that a client could make up. What happened
 * is told through the port of core/metrics.ts; what just is, is looked up at each scrape.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { authorise } from "../accounts/keys/permissions.js";
import type { EndedRun, FinishedLoad, Metrics, ServerLoad } from "../core/metrics.js";
import type { Context } from "./context.js";
import { addProcessGauges } from "./metrics/process-gauges.js";
import type { Call } from "./route.js";
import type { RouteDocs } from "./route-docs.js";

export interface ServerMetrics extends Metrics {
  /** Every figure as it is now. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Stops watching the event loop. */
  close(): void;
}

interface MetricsDeps {
  readonly metrics: ServerMetrics;
}

/** Builds the metrics; `load` is asked at each scrape. */
export function createMetrics(load: () => ServerLoad): ServerMetrics {
  const registry = new Registry();
  const requestAnswered = countRequests(registry);
  const runEnded = countRuns(registry);
  const modelLoaded = timeLoads(registry);
  const drawingStep = countSteps(registry);
  addLoadGauges(registry, load);
  const close = addProcessGauges(registry);
  return {
    requestAnswered,
    runEnded,
    modelLoaded,
    drawingStep,
    async scrape() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    close,
  };
}

/** The handler of a server that only its own machine reaches. */
export function presentMetrics(deps: MetricsDeps): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const { contentType, text } = await deps.metrics.scrape();
    ctx.set("content-type", contentType);
    ctx.body = text;
  };
}

/** The same for whoever has a key that may: the figures are those of all teams. */
export function presentMetricsToKeys(deps: MetricsDeps): (call: Call) => Promise<void> {
  const present = presentMetrics(deps);
  return ({ ctx, principal, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    return present(ctx);
  };
}

export const metricsDocs: RouteDocs = {
  operation: "getMetrics",
  tag: "Server",
  summary: "Tell the figures for Prometheus",
  description: "Without a key on a loopback address; behind a proxy with one whose ACLs hold it.",
  answers: { 200: { description: "The figures.", contentType: "text/plain" } },
};

function countRequests(registry: Registry): Metrics["requestAnswered"] {
  const registers = [registry];
  const count = new Counter({
    name: "hearth_requests_total",
    help: "Requests answered, by route pattern and status; 499: the client left.",
    labelNames: ["route", "status"] as const,
    registers,
  });
  const seconds = new Histogram({
    name: "hearth_request_seconds",
    help: "Time from a request's headers to its whole answer; to the end of a stream.",
    labelNames: ["route"] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  return ({ route, status, durationMs }) => {
    count.inc({ route, status });
    seconds.observe({ route }, durationMs / 1000);
  };
}

function countRuns(registry: Registry): Metrics["runEnded"] {
  const registers = [registry];
  const runs = new Counter({
    name: "hearth_runs_total",
    help: "Runs of a model that ended, by how: completed, aborted or failed.",
    labelNames: ["model", "state"] as const,
    registers,
  });
  const ttft = new Histogram({
    name: "hearth_ttft_seconds",
    help: "Time from an accepted request to the first piece of its answer.",
    labelNames: ["model"] as const,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers,
  });
  const decode = new Histogram({
    name: "hearth_decode_tokens_per_second",
    help: "Speed of one answer, from its first piece to its last.",
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

function tokenCounters(registry: Registry): (run: EndedRun) => void {
  const registers = [registry];
  const tokens = new Counter({
    name: "hearth_tokens_total",
    help: "Tokens of ended runs; cached ones are prompt tokens too, reasoning is not among completion.",
    labelNames: ["model", "kind"] as const,
    registers,
  });
  const prefix = new Counter({
    name: "hearth_prefix_cache_tokens_total",
    help: "Prompt tokens of ended runs: hit were found evaluated, miss were not.",
    labelNames: ["model", "result"] as const,
    registers,
  });
  const drawn = new Counter({
    name: "hearth_images_total",
    help: "Images that ended runs drew.",
    labelNames: ["model"] as const,
    registers,
  });
  return ({ model, usage }) => {
    const { promptTokens, cachedTokens, completionTokens, reasoningTokens, images } = usage;
    if (images !== undefined) drawn.inc({ model }, images);
    tokens.inc({ model, kind: "prompt" }, promptTokens);
    tokens.inc({ model, kind: "cached" }, cachedTokens);
    tokens.inc({ model, kind: "completion" }, completionTokens);
    tokens.inc({ model, kind: "reasoning" }, reasoningTokens);
    prefix.inc({ model, result: "hit" }, cachedTokens);
    prefix.inc({ model, result: "miss" }, promptTokens - cachedTokens);
  };
}

function countSteps(registry: Registry): Metrics["drawingStep"] {
  const steps = new Counter({
    name: "hearth_image_steps_total",
    help: "Steps from noise to image that are done, of images under way too.",
    labelNames: ["model"] as const,
    registers: [registry],
  });
  return (model) => steps.inc({ model });
}

function timeLoads(registry: Registry): (load: FinishedLoad) => void {
  const seconds = new Histogram({
    name: "hearth_model_load_seconds",
    help: "Time until a model that was asked for was in memory, room made and weights verified included.",
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
    help: "Slots of the models in memory: held ones, and all.",
    labelNames: ["model", "state"] as const,
    registers,
    collect() {
      // A model that has left memory has no slots.
      slots.reset();
      for (const { id, slots: total, slotsHeld } of load().models) {
        slots.set({ model: id, state: "held" }, slotsHeld);
        slots.set({ model: id, state: "total" }, total);
      }
    },
  });
}
