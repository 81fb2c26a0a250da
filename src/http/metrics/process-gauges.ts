import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** How often the event loop is asked; the lag is what an answer takes beyond that. */
const resolutionMs = 20;

/** Adds what the process itself costs, set at each scrape. @returns stops the watch over the event loop. */
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
    help: "How late the event loop that answers requests was, since the scrape before.",
    labelNames: ["quantile"] as const,
    registers: [registry],
    collect() {
      lag.set({ quantile: "0.5" }, lateSeconds(delays.percentile(50)));
      lag.set({ quantile: "0.99" }, lateSeconds(delays.percentile(99)));
      delays.reset();
    },
  });
}

/** An interval in nanoseconds has the waiting itself in it. */
function lateSeconds(intervalNs: number): number {
  return Math.max(0, intervalNs / 1e9 - resolutionMs / 1000);
}

function addMemory(registry: Registry): void {
  const add = (name: string, help: string, bytes: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(bytes()) });
  };
  const rss = "Resident memory of the whole process, models included.";
  const heap = "JavaScript heap in use by the thread that answers requests.";
  const external = "Memory outside the JavaScript heap that objects in it hold.";
  add("process_resident_memory_bytes", rss, () => process.memoryUsage.rss());
  add("nodejs_heap_size_used_bytes", heap, () => process.memoryUsage().heapUsed);
  add("nodejs_external_memory_bytes", external, () => process.memoryUsage().external);
}
