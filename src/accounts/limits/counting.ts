/** Decides where rate limits are counted: in Redis, else in the database, else in the memory of the only server. */
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import type { RedisState } from "../../core/metrics.js";
import type { NodeStore } from "../../store/nodes.js";
import { countingElsewhere, describeLimitsPlace } from "./limits-place.js";
import { createMemoryCounter } from "./memory-counter.js";
import type { QuotaCounter } from "./quota-counter.js";
import { RedisConnection } from "./redis/connection.js";
import { createRedisCounter } from "./redis/redis-counter.js";
import { redisPrefix } from "./redis/windows.js";
import { createSharedCounter } from "./shared/shared-counter.js";
import type { SharedWindows } from "./shared/shared-windows.js";

interface LimitCounting {
  readonly counter: QuotaCounter;
  /** How the counting in Redis is; null where it does not count. */
  readonly redis: (() => RedisState) | null;
  close(): void;
}

interface CountingSettings {
  readonly redisUrl: string | null;
  readonly redisPrefix: string;
  readonly redisTimeoutMs: number;
  readonly limitsWithoutRedis: RedisState["withoutRedis"];
}

interface CountingParts {
  /** Null where the windows are in the memory of the only server. */
  readonly sharedWindows: SharedWindows | null;
  readonly nodes: NodeStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export async function openLimitCounting(
  settings: CountingSettings,
  parts: CountingParts,
): Promise<LimitCounting> {
  const { sharedWindows: windows, clock, logger } = parts;
  await warnOfOthers(settings, parts);
  if (settings.redisUrl !== null) return countInRedis(settings.redisUrl, settings, parts);
  const [redis, close] = [null, () => undefined];
  if (windows === null) return { counter: createMemoryCounter(clock), redis, close };
  const onError = (err: unknown): void =>
    logger.error({ err }, "the windows of rate limits could not be written");
  return { counter: createSharedCounter({ windows, clock, time: () => null, onError }), redis, close };
}

/** Limits that servers count in different places hold for each place by itself. */
async function warnOfOthers(settings: CountingSettings, { nodes, logger }: CountingParts): Promise<void> {
  const place = describeLimitsPlace(settings);
  for (const { name, limitsPlace } of countingElsewhere(place, await nodes.running()))
    logger.warn(
      { server: name, countsIn: limitsPlace, thisCountsIn: place },
      "another server of this database counts rate limits elsewhere: set the same redisUrl and redisPrefix for both",
    );
}

async function countInRedis(
  url: string,
  { limitsWithoutRedis: withoutRedis, redisTimeoutMs, ...settings }: CountingSettings,
  { clock, logger }: CountingParts,
): Promise<LimitCounting> {
  const prefix = redisPrefix(settings.redisPrefix);
  let missed = 0;
  const connection = new RedisConnection({
    url,
    prefix,
    timeoutMs: redisTimeoutMs,
    clock,
    onChange(problem) {
      if (problem === null) logger.info({}, "Redis counts rate limits again");
      else logger.error({ problem, withoutRedis }, "Redis cannot count rate limits");
    },
  });
  await connection.start();
  return {
    counter: createRedisCounter({
      connection,
      prefix,
      own: createMemoryCounter(clock),
      withoutRedis,
      clock,
      time: () => null,
      onMissed: () => void missed++,
    }),
    redis: () => ({ problem: connection.problem(), withoutRedis, missed }),
    close: () => connection.close(),
  };
}
