/**
 * Measures the cost of a request outside the model: authentication, rate limits, reservation and settlement,
 * with few keys and with many. The token estimate of a prompt is not included; it runs in another thread.
 */
import { join } from "node:path";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { createKeyUse } from "../../../src/accounts/authentication/key-use.js";
import { createMemoryCounter } from "../../../src/accounts/limits/memory-counter.js";
import { createRateLimits } from "../../../src/accounts/limits/rate-limits.js";
import type { BillingMode } from "../../../src/accounts/principals/team.js";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { createKeyUseStore } from "../../../src/accounts/authentication/store.js";
import { createTeamLimitStore } from "../../../src/accounts/limits/store.js";
import { systemClock } from "../../../src/system/clock.js";
import { createPricedRuns, usage } from "./priced-run.js";
import { scratchFolder } from "../world/processes.js";
import { fillTeam, nameSecret } from "../world/teams.js";
import { quantile, toRow, type Row } from "../figures/table.js";

const few = 10;
const many = 1_000_000;
const requests = 10_000;
const turns = 50;
const bound = 1_000_000;

/**
 * Runs requests on real SQLite with changing keys. The cases take turns, so that other load on the machine
 * affects all of them equally.
 */
export async function accountsSection(): Promise<readonly Row[]> {
  const worlds = [
    await openWorld(few, "prepaid"),
    await openWorld(many, "prepaid"),
    await openWorld(few, "unmetered"),
  ];
  try {
    for (let turn = 0; turn < turns; turn++) for (const world of worlds) await world.takeTurn();
  } finally {
    for (const world of worlds) await world.close();
  }
  const [small = [], large = [], unmetered = []] = worlds.map(({ times }) => times);
  const ratio = quantile(large, 0.5) / quantile(small, 0.5);
  return [
    row(`authenticate, limits, reserve, settle, ${few} keys`, small, "p50 <= 0.3 ms"),
    row(`the same, ${many} keys`, large, ""),
    toRow("p50 of many keys to p50 of few", ratio.toFixed(2), "<= 1.2"),
    row(`of an unmetered team, ${few} keys`, unmetered, ""),
  ];
}

function row(figure: string, times: readonly number[], reach: string): Row {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return toRow(figure, `p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`, reach);
}

interface World {
  /** The duration of each request in milliseconds. */
  readonly times: readonly number[];
  takeTurn(): Promise<void>;
  close(): Promise<void>;
}

async function openWorld(keys: number, billing: BillingMode): Promise<World> {
  const data = scratchFolder();
  const database = await openDatabase(join(data.path, "hearth.db"));
  await fillTeam(database, keys, billing);
  const request = requestOver(database, billing);
  for (let warm = 0; warm < requests / 10; warm++) await request(nameSecret(warm % keys));
  const times: number[] = [];
  return {
    times,
    async takeTurn() {
      for (let asked = 0; asked < requests / turns; asked++) {
        // A step size that visits every key before any key twice.
        const secret = nameSecret((times.length * 7919) % keys);
        const began = performance.now();
        await request(secret);
        times.push(performance.now() - began);
      }
    },
    async close() {
      await database.close();
      data.remove();
    },
  };
}

/** One request with the same database work as in production, but without the model. */
export function requestOver(database: Database, billing: BillingMode): (secret: string) => Promise<void> {
  const reserveTokens = reservationOver(database);
  const run = createPricedRuns(database, billing === "prepaid" ? bound : null, () => systemClock.now());
  return async (secret) => {
    const { principal, reservation } = await reserveTokens(secret);
    const { key, team } = principal;
    await run({ teamId: team.id, apiKeyId: key.id, model: "model", requestedModel: "model" });
    reservation.reconcile(usage);
  };
}

/** Authenticates a request and checks its rate limits. */
function reservationOver(database: Database) {
  const keyUse = createKeyUse({
    keyUses: createKeyUseStore(database),
    clock: systemClock,
    // The last write comes after the database is closed.
    onError: () => undefined,
  });
  const keys = createApiKeyStore(database);
  const authenticator = createAuthenticator({ keys, keyUse, clock: systemClock });
  const teamLimits = createTeamLimitStore(database);
  const rateLimits = createRateLimits({
    findTeamLimits: (teamId, model) => teamLimits.findFor(teamId, model),
    counter: createMemoryCounter(systemClock),
    readCounter: createMemoryCounter(systemClock),
    estimate: () => Promise.resolve(usage.promptTokens),
    clock: systemClock,
  });
  return async (secret: string) => {
    const principal = await authenticator.authenticate(secret, "127.0.0.1");
    const decision = await rateLimits.admitRequest(principal);
    const { reservation, refusal } = await rateLimits.admitModelRequest(decision, "model", "");
    if (decision.refusal !== null || refusal !== null) throw new Error("a limit is too narrow");
    return { principal, reservation };
  };
}
