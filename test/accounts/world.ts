import { buildAccountStores } from "../../src/app/accounts.js";
import { createKeyService } from "../../src/accounts/keys.js";
import { createCreditService } from "../../src/accounts/credits.js";
import { createManagementKeyService } from "../../src/accounts/management-keys.js";
import { createMemberService } from "../../src/accounts/members.js";
import { createTeamLimitService } from "../../src/accounts/team-limits.js";
import { createTeamService } from "../../src/accounts/teams.js";
import { createHostedPriceService } from "../../src/accounts/hosted-prices.js";
import { createSpendingService } from "../../src/accounts/spending-limits.js";
import { createUsageReports } from "../../src/accounts/usage.js";
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
  /** Ids of keys that were let in. */
  const used: string[] = [];
  return {
    database,
    ...deps,
    used,
    keyUse: { note: (keyId: string) => void used.push(keyId) },
    memberService: createMemberService(deps),
    service: createKeyService(deps),
    teamService: createTeamService(deps),
    teamLimitService: createTeamLimitService(deps),
    managementKeyService: createManagementKeyService(deps),
    creditService: createCreditService(deps),
    auditLog: createAuditLog(deps),
    spendingService: createSpendingService(deps),
    usageReports: createUsageReports(deps),
    hostedPriceService: createHostedPriceService(deps),
  };
}
