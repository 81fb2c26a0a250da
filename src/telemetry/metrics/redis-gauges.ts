import { Counter, Gauge, type Registry } from "prom-client";
import type { RedisState } from "../../core/metrics.js";

/** Adds what is known of the counting of rate limits in Redis, read at each scrape. */
export function addRedisGauges(registry: Registry, read: () => RedisState): void {
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
