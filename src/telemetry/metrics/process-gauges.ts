import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** Interval of the measurement of the event loop; the lag is the time beyond it. */
const resolutionMs = 20;

/** Adds gauges of event loop lag and memory, read at each scrape. @returns a function that stops the measurement. */
export function addProcessGauges(registry: Registry): () => void {
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
