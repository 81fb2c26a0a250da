import { buildAccountStores } from "../../src/app/accounts.js";
import { createBudgetService } from "../../src/accounts/budgets/budgets.js";
import { createAccessGroupService } from "../../src/accounts/groups/access-groups.js";
import { createKeyService } from "../../src/accounts/keys/keys.js";
import { createCreditService } from "../../src/accounts/money/credits.js";
import { createManagementKeyService } from "../../src/accounts/management-keys/management-keys.js";
import { createSignInLinks } from "../../src/accounts/sign-in/links.js";
import { createMemberService } from "../../src/accounts/members/members.js";
import { createTeamLimitService } from "../../src/accounts/limits/team-limits.js";
import { createTeamService } from "../../src/accounts/teams/teams.js";
import { createHostedPriceService } from "../../src/accounts/money/hosted-prices.js";
import { createSpendingService } from "../../src/accounts/money/spending-limits.js";
import { createUsageReports } from "../../src/accounts/usage/usage-reports.js";
import { createExports } from "../../src/accounts/exports/exports.js";
import { createAuditLog } from "../../src/accounts/audit-log.js";
import type { Clock } from "../../src/core/clock.js";
import { systemRandom } from "../../src/system/clock.js";
import { temporaryDatabase } from "../store/records.js";

/** A clock whose time changes only when a test sets it. */
class ManualClock implements Clock {
  time = Date.UTC(2026, 10, 21, 12);
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error("timers are not supported");
  }
}

/** Creates the account services over a real, empty database. */
export async function emptyAccounts() {
  const database = await temporaryDatabase();
  const deps = { ...buildAccountStores(database), clock: new ManualClock(), random: systemRandom };
  /** Ids of keys that were authenticated. */
  const used: string[] = [];
  return {
    database,
    ...deps,
    used,
    keyUse: { note: (keyId: string) => void used.push(keyId), close: () => Promise.resolve() },
    memberService: createMemberService(deps),
    signInLinks: createSignInLinks(deps),
    service: createKeyService(deps),
    teamService: createTeamService(deps),
    teamLimitService: createTeamLimitService(deps),
    accessGroupService: createAccessGroupService(deps),
    managementKeyService: createManagementKeyService({ ...deps, findMember: (id) => deps.members.find(id) }),
    creditService: createCreditService(deps),
    auditLog: createAuditLog(deps),
    exports: createExports({ ...deps, auditLog: createAuditLog(deps) }),
    spendingService: createSpendingService(deps),
    budgetService: createBudgetService(deps),
    usageReports: createUsageReports(deps),
    hostedPriceService: createHostedPriceService(deps),
  };
}
