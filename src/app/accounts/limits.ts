/** The part of the composition root that decides where rate limits are counted. */
import { createMemoryCounter } from "../../accounts/limits/memory-counter.js";
import type { QuotaCounter } from "../../accounts/limits/quota-counter.js";
import { createRedisConnection } from "../../accounts/limits/redis/connection.js";
import { createRedisCounter } from "../../accounts/limits/redis/redis-counter.js";
import { redisPrefix } from "../../accounts/limits/redis/windows.js";
import { createSharedCounter } from "../../accounts/limits/shared/shared-counter.js";
import type { SharedWindows } from "../../accounts/limits/shared/shared-windows.js";
import type { Config } from "../../config/config.js";
import { countingElsewhere, describeLimitsPlace } from "../../accounts/limits/limits-place.js";
import type { NodeStore } from "../../store/nodes.js";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import type { RedisState } from "../../core/metrics.js";

export interface LimitCounting {
  readonly counter: QuotaCounter;
  /** How the counting in Redis is; null where it does not count. */
  readonly redis: (() => RedisState) | null;
  close(): void;
}

export interface LimitsDeps {
  /** Null where the windows are in the memory of the only server. */
  readonly sharedWindows: SharedWindows | null;
  readonly nodes: NodeStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Builds what counts rate limits: Redis, else the database, else the memory of the only server. */
export async function buildLimits(config: Config, deps: LimitsDeps): Promise<LimitCounting> {
  const { sharedWindows: windows, clock, logger } = deps;
  await warnOfOthers(config, deps);
  if (config.redisUrl !== null) return buildRedisLimits({ ...config, redisUrl: config.redisUrl }, deps);
  const [redis, close] = [null, () => undefined];
  if (windows === null) return { counter: createMemoryCounter(clock), redis, close };
  const onError = (err: unknown): void =>
    logger.error({ err }, "the windows of rate limits could not be written");
  return { counter: createSharedCounter({ windows, clock, time: () => null, onError }), redis, close };
}

/** LimitCounting that servers count in different places hold for each place by itself. */
async function warnOfOthers(config: Config, { nodes, logger }: LimitsDeps): Promise<void> {
  const place = describeLimitsPlace(config);
  for (const { name, limitsPlace } of countingElsewhere(place, await nodes.running()))
    logger.warn(
      { server: name, countsIn: limitsPlace, thisCountsIn: place },
      "another server of this database counts rate limits elsewhere: set the same redisUrl and redisPrefix for both",
    );
}

async function buildRedisLimits(
  config: Config & { readonly redisUrl: string },
  { clock, logger }: LimitsDeps,
): Promise<LimitCounting> {
  const { limitsWithoutRedis: withoutRedis } = config;
  const prefix = redisPrefix(config.redisPrefix);
  let missed = 0;
  const connection = createRedisConnection({
    url: config.redisUrl,
    prefix,
    timeoutMs: config.redisTimeoutMs,
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
