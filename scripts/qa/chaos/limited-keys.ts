/** Two keys with limits that are used at all servers as fast as they answer. */
import { setTimeout as delay } from "node:timers/promises";
import { findExcess, windowsMs, type Admitted, type LimitName } from "../checks/limits.js";
import { ask, askJson } from "../world/ask.js";
import { chatBody, chatPath } from "../world/requests.js";
import { askFor, scriptedModel } from "./engine.js";
import type { Load } from "../clients/load.js";
import type { ChaosRecords } from "./records.js";
import { managementKey, teams } from "./world.js";

interface Limit {
  readonly name: LimitName;
  readonly most: number;
}

const limits: readonly Limit[] = [
  { name: "qps", most: 4 },
  { name: "qpm", most: 40 },
];

const pauseMs = 150;

export async function hammerLimits(load: Load, records: ChaosRecords): Promise<void> {
  await Promise.all(limits.map((limit) => hammer(load, records, limit)));
}

async function hammer(load: Load, records: ChaosRecords, limit: Limit): Promise<void> {
  const { servers, isOver } = load;
  const secret = await createKey(load, limit);
  if (secret === null) return;
  const admitted: Admitted[] = [];
  records.admitted.set(limit.name, admitted);
  const client = async (at: number): Promise<void> => {
    for (let turn = at; !isOver(); turn += 1) {
      const server = servers[turn % servers.length];
      if (server === undefined) return;
      const from = performance.now();
      const answered = await ask(server.url(), chatPath, { key: secret, body: request });
      if (answered?.status === 200) admitted.push({ from, until: performance.now() });
      if (answered?.status === 429) records.limited += 1;
      await delay(pauseMs);
    }
  };
  await Promise.all(servers.map((_, at) => client(at)));
}

const request = chatBody({ model: scriptedModel, text: askFor(1, 0) }, 4);

async function createKey({ servers, isOver }: Load, { name, most }: Limit): Promise<string | null> {
  for (let at = 0; !isOver(); at = (at + 1) % servers.length) {
    const server = servers[at];
    if (server === undefined) return null;
    const created = await askJson(server.url(), `/auth/teams/${teams.unmetered[0]}/api-keys`, {
      key: managementKey,
      body: { name, acls: ["api-key:endpoint:*", "api-key:model:*"], [name]: most },
    });
    if (typeof created?.["apiKey"] === "string") return created["apiKey"];
    await delay(pauseMs);
  }
  return null;
}

/**
 * Checks that no limit was exceeded. A crash of the database empties its windows: a limit then counts anew. While Redis is
 * lost, each server counts by itself; then, when it is back without its data, and when a server starts again, the guide has the bound.
 */
export function checkLimits(records: ChaosRecords, servers: number): void {
  const { admitted, crashes, redisLosses, redisEmptied, restarts, judge } = records;
  for (const { name, most } of limits) {
    const windowMs = windowsMs[name];
    const boundOf = (from: number): number => {
      const countIn = (times: readonly number[]): number =>
        times.filter((time) => time >= from && time <= from + windowMs).length;
      const isRedisLost = redisLosses.some((loss) => loss.until >= from && loss.from <= from + windowMs);
      const alone = isRedisLost ? servers + countIn(restarts) : 0;
      const anew = countIn(crashes.map(({ until }) => until)) + countIn(redisEmptied);
      return most * (1 + alone + anew);
    };
    const excess = findExcess(admitted.get(name) ?? [], windowMs, boundOf);
    judge(
      excess === null,
      "limits are never exceeded",
      () => `${excess} requests of a key with ${name} ${most} within ${windowMs} ms`,
    );
  }
}
