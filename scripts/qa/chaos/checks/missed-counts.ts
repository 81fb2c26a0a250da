/** Finds out, after each round, which servers counted limits by themselves in it. */
import { firstKey } from "../../world/server.js";
import { ask } from "../../world/ask.js";
import type { ChaosRecords } from "../records.js";
import type { ChaosServer } from "../server.js";

/** A server may notice so late that Redis answers again. */
const retryMsMax = 8_000;

export interface MissedCounts {
  look(): Promise<void>;
}

export function watchMissedCounts(servers: readonly ChaosServer[], records: ChaosRecords): MissedCounts {
  const seen = new Map<string, number>();
  let from = performance.now();
  return {
    async look() {
      const since = from;
      from = performance.now();
      const grew = await Promise.all(
        servers.map(async (server) => {
          const answered = await ask(server.url(), "/metrics", { key: firstKey });
          const count = /^hearth_limits_without_redis_total (\d+)/m.exec(answered?.text ?? "")?.[1];
          const before = seen.get(server.name) ?? 0;
          seen.set(server.name, Number(count ?? 0));
          // A server that was started again counts from 0.
          return Number(count ?? 0) !== before;
        }),
      );
      if (grew.includes(true)) records.redisLosses.push({ from: since, until: from + retryMsMax });
    },
  };
}
