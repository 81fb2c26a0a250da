/**
 * Measures the event loop lag of the server. Its own gauge at /metrics is most precise. From outside, the lag
 * is the additional response time of /healthz compared with an idle server, which includes the wait for a
 * processor core.
 */
import { spawnScript } from "./processes.js";
import { quantile, toRow, type Row } from "../figures/table.js";

export interface LagProbe {
  /** Stops the probe and returns the response times in milliseconds. */
  stop(): Promise<readonly number[]>;
}

/** Starts sending requests from a separate process. */
export function startLagProbe(url: string): LagProbe {
  const child = spawnScript(new URL("./lag-probe.ts", import.meta.url), [url], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const times = new Promise<readonly number[]>((resolve, reject) => {
    child.once("message", (message) => resolve(message as readonly number[]));
    child.once("exit", () => reject(new Error("the probe of the event loop ended too early")));
  });
  times.catch(() => undefined);
  return {
    stop() {
      child.send("stop");
      return times;
    },
  };
}

/** @param gaugeMs the value of the server's own gauge, or null */
export function lagRows(
  idle: readonly number[],
  busy: readonly number[],
  gaugeMs: number | null,
): readonly Row[] {
  const idleMs = quantile(idle, 0.5);
  const lag = quantile(busy, 0.99) - idleMs;
  const outside = `${lag.toFixed(1)} ms (p50 ${(quantile(busy, 0.5) - idleMs).toFixed(1)} ms)`;
  const reach = "< 50 ms";
  return [
    toRow("GET /healthz under load, less idle, p99", outside, gaugeMs === null ? reach : ""),
    ...(gaugeMs === null
      ? []
      : [toRow("event-loop lag by its own gauge, p99", `${gaugeMs.toFixed(1)} ms`, reach)]),
  ];
}

/** Returns the server's own p99 in milliseconds since the previous call, or null if it has none. */
export async function lagGaugeMs(url: string): Promise<number | null> {
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  if (!answer.ok) return null;
  const seconds = /^hearth_event_loop_lag_seconds\{quantile="0\.99"\} (\S+)$/m.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
