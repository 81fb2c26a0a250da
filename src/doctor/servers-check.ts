/** The check of the servers that share a database. */
import type { Config } from "../config/config.js";
import type { DoctorCheck } from "../core/report/doctor.js";
import { explainFailure } from "../system/file-errors.js";
import type { RunningNode } from "../store/nodes.js";
import { countingElsewhere, describeLimitsPlace } from "../accounts/limits/limits-place.js";

/**
 * Returns whether the servers of a PostgreSQL database count rate limits in the same place; nothing where the database is SQLite.
 * @param running returns the servers that run; it may throw when the database cannot be used
 */
export async function serversChecks(
  config: Config,
  running: () => Promise<readonly RunningNode[]>,
): Promise<readonly DoctorCheck[]> {
  if (config.databaseUrl === null) return [];
  try {
    return [checkServers(describeLimitsPlace(config), await running())];
  } catch (thrown) {
    return [{ name: "servers", ok: false, detail: explainFailure(thrown) }];
  }
}

function checkServers(place: string, servers: readonly RunningNode[]): DoctorCheck {
  const elsewhere = countingElsewhere(place, servers);
  const names = servers.map(({ name }) => name).join(", ");
  if (elsewhere.length === 0) {
    const detail = `${servers.length === 0 ? "none runs" : `${names} ${servers.length === 1 ? "runs" : "run"}`}; rate limits are counted in ${place}`;
    return { name: "servers", ok: true, detail };
  }
  const others = elsewhere.map(({ name, limitsPlace }) => `${name} in ${limitsPlace ?? ""}`).join(", ");
  return {
    name: "servers",
    ok: false,
    detail: `rate limits are counted in different places, ${others}, by these settings in ${place}: set the same redisUrl and redisPrefix for all servers`,
  };
}
