/** Compares where the servers of a database count rate limits: limits hold for all of them only when it is the same place. */
import type { RunningNode } from "../../store/nodes.js";

/** Returns where a server over PostgreSQL counts rate limits, as operators read it: without the password of Redis. */
export function describeLimitsPlace({
  redisUrl,
  redisPrefix,
}: {
  readonly redisUrl: string | null;
  readonly redisPrefix: string;
}): string {
  if (redisUrl === null) return "PostgreSQL";
  const { hostname, port, pathname } = new URL(redisUrl);
  const database = pathname.slice(1);
  return `Redis at ${hostname}:${port === "" ? "6379" : port}/${database === "" ? "0" : database}, prefix ${redisPrefix}`;
}

/** Returns the servers that count in another place than this one. */
export function countingElsewhere(place: string, servers: readonly RunningNode[]): readonly RunningNode[] {
  return servers.filter(({ limitsPlace }) => limitsPlace !== null && limitsPlace !== place);
}
