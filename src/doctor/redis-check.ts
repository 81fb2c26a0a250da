/** The check of the Redis that counts rate limits. */
import { RedisConnection } from "../accounts/limits/redis/connection.js";
import { redisPrefix } from "../accounts/limits/redis/windows.js";
import type { Config } from "../config/config.js";
import type { DoctorCheck } from "../core/report/doctor.js";
import { systemClock } from "../system/clock.js";

/** Returns whether Redis can be used, over a connection of its own; nothing where none is configured. */
export async function redisChecks(config: Config): Promise<readonly DoctorCheck[]> {
  const { redisUrl: url, redisTimeoutMs: timeoutMs, limitsWithoutRedis } = config;
  if (url === null) return [];
  const connection = new RedisConnection({
    url,
    prefix: redisPrefix(config.redisPrefix),
    timeoutMs,
    clock: systemClock,
    onChange: () => undefined,
  });
  try {
    await connection.start();
    const problem = connection.problem();
    if (problem === null) return [await describe(connection)];
    const consequence =
      limitsWithoutRedis === "open"
        ? "each server counts rate limits for itself"
        : "requests that a limit applies to are refused";
    return [{ name: "redis", ok: false, detail: `${problem}; ${consequence}` }];
  } finally {
    connection.close();
  }
}

/** Redis may refuse this question to the user of the address, who may count all the same. */
async function describe(connection: RedisConnection): Promise<DoctorCheck> {
  const info = await connection.info().catch(() => "");
  const read = (name: string): string | null =>
    new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? null;
  const valkey = read("valkey_version");
  const version = valkey === null ? read("redis_version") : valkey;
  const name = `${valkey === null ? "Redis" : "Valkey"}${version === null ? "" : ` ${version}`}`;
  const policy = read("maxmemory_policy") ?? "noeviction";
  const check = { name: "redis", ok: true };
  const counts = `${name} counts rate limits`;
  if (read("maxmemory") === "0" || policy === "noeviction") return { ...check, detail: counts };
  const forgets = `when its memory is full it forgets counts (maxmemory-policy ${policy}): set noeviction`;
  return { ...check, warning: true, detail: `${counts}; ${forgets}` };
}
