/** Two keys with limits that are used at all servers as fast as they answer. */
import { setTimeout as delay } from "node:timers/promises";
import { askFor, scriptedModel } from "./engine.js";
import { ask, askJson } from "./http.js";
import type { Load } from "./client.js";
import type { Admitted, Records } from "./records.js";
import { managementKey, teams } from "./world.js";

interface Limit {
  readonly name: "qps" | "qpm";
  readonly most: number;
  readonly windowMs: number;
}

export const limits: readonly Limit[] = [
  { name: "qps", most: 4, windowMs: 1_000 },
  { name: "qpm", most: 40, windowMs: 60_000 },
];

const pauseMs = 150;

export async function hammerLimits(load: Load): Promise<void> {
  await Promise.all(limits.map((limit) => hammer(load, limit)));
}

async function hammer(load: Load, limit: Limit): Promise<void> {
  const { servers, records, isOver } = load;
  const secret = await createKey(load, limit);
  if (secret === null) return;
  const admitted: Admitted[] = [];
  records.admitted.set(limit.name, admitted);
  const client = async (at: number): Promise<void> => {
    for (let turn = at; !isOver(); turn += 1) {
      const server = servers[turn % servers.length];
      if (server === undefined) return;
      const from = performance.now();
      const answered = await ask(server, "/v1/chat/completions", { key: secret, body: request });
      if (answered?.status === 200) admitted.push({ from, until: performance.now() });
      if (answered?.status === 429) records.limited += 1;
      await delay(pauseMs);
    }
  };
  await Promise.all(servers.map((_, at) => client(at)));
}

const request = {
  model: scriptedModel,
  messages: [{ role: "user", content: askFor(1, 0) }],
  max_tokens: 4,
};

async function createKey({ servers, isOver }: Load, { name, most }: Limit): Promise<string | null> {
  for (let at = 0; !isOver(); at = (at + 1) % servers.length) {
    const server = servers[at];
    if (server === undefined) return null;
    const created = await askJson(server, `/auth/teams/${teams.unmetered[0]}/api-keys`, {
      key: managementKey,
      body: { name, acls: ["api-key:endpoint:*", "api-key:model:*"], [name]: most },
    });
    if (typeof created?.["apiKey"] === "string") return created["apiKey"];
    await delay(pauseMs);
  }
  return null;
}

/**
 * Adds to `broken` each limit that was exceeded. A crash of the database empties its windows: a limit then counts anew. While Redis is
 * lost, each server counts by itself; then, when it is back without its data, and when a server starts again, the guide has the bound.
 */
export function checkLimits(records: Records, servers: number): void {
  const { admitted, crashes, redisLosses, redisEmptied, restarts, broken } = records;
  for (const { name, most, windowMs } of limits) {
    const sorted = [...(admitted.get(name) ?? [])].sort((one, other) => one.from - other.from);
    for (const [at, { from }] of sorted.entries()) {
      // Counted for sure within the window that begins with this request.
      const within = sorted.slice(at).filter(({ until }) => until <= from + windowMs);
      const countIn = (times: readonly number[]): number =>
        times.filter((time) => time >= from && time <= from + windowMs).length;
      const isRedisLost = redisLosses.some((loss) => loss.until >= from && loss.from <= from + windowMs);
      const alone = isRedisLost ? servers + countIn(restarts) : 0;
      const anew = countIn(crashes.map(({ until }) => until)) + countIn(redisEmptied);
      const bound = most * (1 + alone + anew);
      if (within.length <= bound) continue;
      broken.push(`${within.length} requests of a key with ${name} ${most} within ${windowMs} ms`);
      break;
    }
  }
}
