import { createKeyService } from "../../src/accounts/keys.js";
import type { Clock } from "../../src/core/clock.js";
import { createApiKeyStore } from "../../src/store/api-keys.js";
import { createTeamStore } from "../../src/store/teams.js";
import { systemRandom } from "../../src/system.js";
import { temporaryDatabase } from "../store/records.js";

/** A clock that stands until it is set. */
class SetClock implements Clock {
  time = Date.UTC(2026, 10, 21, 12);
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error("nothing here waits");
  }
}

/** Accounts over a real, empty database. */
export async function emptyWorld() {
  const database = await temporaryDatabase();
  const [keys, teams] = [createApiKeyStore(database), createTeamStore(database)];
  const [clock, random] = [new SetClock(), systemRandom];
  return { database, keys, teams, clock, random, service: createKeyService({ keys, teams, clock, random }) };
}
