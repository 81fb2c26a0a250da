import { buildAccountStores } from "../../src/app/accounts.js";
import { createKeyService } from "../../src/accounts/keys.js";
import { createCreditService } from "../../src/accounts/credits.js";
import { createManagementKeyService } from "../../src/accounts/management-keys.js";
import { createTeamService } from "../../src/accounts/teams.js";
import { createAuditLog } from "../../src/accounts/audit-log.js";
import type { Clock } from "../../src/core/clock.js";
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
  const deps = { ...buildAccountStores(database), clock: new SetClock(), random: systemRandom };
  return {
    database,
    ...deps,
    service: createKeyService(deps),
    teamService: createTeamService(deps),
    managementKeyService: createManagementKeyService(deps),
    creditService: createCreditService(deps),
    auditLog: createAuditLog(deps),
  };
}
