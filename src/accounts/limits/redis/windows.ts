/** The windows of rate limits in Redis. All of one request's are counted by one call. */
import type { CountRow, SharedWindows, Time } from "../shared/shared-windows.js";
import type { RedisConnection } from "./connection.js";
import { correct, take } from "./scripts.js";

/**
 * @param prefix of the keys. Its part in braces puts all of an installation's keys into one slot of a cluster.
 */
export function createRedisWindows(connection: RedisConnection, prefix: string): SharedWindows {
  const toKey = (quota: string): string => prefix + quota;
  return {
    async take(earlier, earlierAt, wanted, at) {
      const all = [...earlier, ...wanted];
      const demands = all.flatMap(({ span, most, amount }) => [span, most, amount].map(String));
      const values = [writeTime(at), String(earlierAt), String(earlier.length), ...demands];
      const keys = all.map(({ quota }) => toKey(quota));
      return parseRows(await connection.run(take, keys, values), all.length);
    },
    async correct(windows, difference, countedAt, at) {
      const spans = windows.map(({ span }) => String(span));
      const values = [writeTime(at), String(difference), String(countedAt), ...spans];
      const keys = windows.map(({ quota }) => toKey(quota));
      await connection.run(correct, keys, values);
    },
    // Keys expire by themselves.
    sweep: () => Promise.resolve(),
  };
}

/** Returns what keys of an installation begin with. @param name of the installation */
export function redisPrefix(name: string): string {
  return `{${name}}:limits:`;
}

function writeTime(at: Time): string {
  return at === null ? "" : String(at);
}

function parseRows(reply: unknown, count: number): readonly CountRow[] {
  const numbers = Array.isArray(reply) ? reply.map(Number) : [];
  const [countedAt = NaN, taken = NaN, ...rest] = numbers;
  if (rest.length !== 3 * count || !numbers.every(Number.isSafeInteger))
    throw new Error("the script of rate limits returned something else");
  return Array.from({ length: count }, (_, index) => {
    const [used = 0, endsAt = -1, fitsAt = -1] = rest.slice(3 * index, 3 * index + 3);
    return { countedAt, taken: taken === 1, used, endsAt: readTime(endsAt), fitsAt: readTime(fitsAt) };
  });
}

function readTime(value: number): number | null {
  return value < 0 ? null : value;
}
