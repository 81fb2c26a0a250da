/**
 * Counts in Redis, so that a limit holds for all servers that share it, and decides what happens while Redis cannot be used:
 *
 * - `open`: each server counts in its own memory. In any window, N servers then admit at most N + 1 times a limit: once what Redis has
 *   counted, and once each server; once more each time that Redis has lost what it had counted, or a server was restarted.
 * - `closed`: requests that a limit applies to are refused.
 *
 * When Redis can be used again, its windows go on with what they had: what servers counted meanwhile is not added. Corrections go where
 * requests are counted now; a negative one of an estimate that was counted elsewhere changes nothing, and the estimate expires.
 * Demands of a request's first step that were counted elsewhere expire as well when its second step is refused.
 */
import type { Clock } from "../../../core/clock.js";
import { HearthError } from "../../../core/errors.js";
import type { RedisState } from "../../../core/metrics.js";
import type { QuotaCounter } from "../quota-counter.js";
import { createSharedCounter } from "../shared/shared-counter.js";
import type { RedisConnection } from "./connection.js";
import { createRedisWindows } from "./windows.js";

interface RedisCounterDeps {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** Counts while Redis cannot be used. */
  readonly own: QuotaCounter;
  readonly withoutRedis: RedisState["withoutRedis"];
  readonly clock: Clock;
  /** Returns a time in milliseconds to count at; null = the time of Redis. */
  readonly time: () => number | null;
  /** Called for each count that Redis did not make. */
  readonly onMissed: () => void;
}

const retryAfterSeconds = 5;

export function createRedisCounter(deps: RedisCounterDeps): QuotaCounter {
  const { connection, own, withoutRedis, clock, time, onMissed } = deps;
  const windows = createRedisWindows(connection, deps.prefix);
  // The connection reports why; an estimate whose correction is lost stays counted until it expires.
  const shared = createSharedCounter({ windows, clock, time, onError: () => undefined });
  return {
    async take(demands, before) {
      try {
        return await shared.take(demands, before);
      } catch (cause) {
        onMissed();
        if (withoutRedis === "open") return own.take(demands, before);
        const message = "The server cannot count requests against their limits now. Please try again later.";
        throw new HearthError("overloaded", message, { retryAfterSeconds, cause });
      }
    },
    correct(quotas, difference, countedAt) {
      if (connection.problem() === null) shared.correct(quotas, difference, countedAt);
      else if (withoutRedis === "open") own.correct(quotas, difference, countedAt);
    },
  };
}
