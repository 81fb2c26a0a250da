/** The part of the composition root that builds the accounts: authentication, the management API's services, the first keys. */
import { createAuditLog } from "../accounts/audit-log.js";
import { createBudgetGuard, type BudgetGuardDeps } from "../accounts/budgets/guard.js";
import { createBudgetService } from "../accounts/budgets/budgets.js";
import { createBudgetStore } from "../accounts/budgets/store.js";
import { createBilling } from "../accounts/money/billing.js";
import { createCreditService } from "../accounts/money/credits.js";
import { createHostedPriceService } from "../accounts/money/hosted-prices.js";
import { createSpendingService } from "../accounts/money/spending-limits.js";
import { createUsageReports } from "../accounts/usage/usage-reports.js";
import { createAuthenticator } from "../accounts/authentication/authenticate-key.js";
import { createManagerAuthenticator } from "../accounts/authentication/authenticate-manager.js";
import { createAccessGroupService } from "../accounts/groups/access-groups.js";
import { createAccessGroupStore } from "../accounts/groups/store.js";
import { createKeyService } from "../accounts/keys/keys.js";
import { createManagementKeyService } from "../accounts/management-keys/management-keys.js";
import { createKeyUse } from "../accounts/authentication/key-use.js";
import { createMemberService } from "../accounts/members/members.js";
import { createPromptEstimate } from "../accounts/limits/prompt-estimate.js";
import { createMemoryCounter } from "../accounts/limits/memory-counter.js";
import type { QuotaCounter } from "../accounts/limits/quota-counter.js";
import { createSharedWindowStore } from "../accounts/limits/shared/store.js";
import { createRateLimits } from "../accounts/limits/rate-limits.js";
import { createTeamLimitService } from "../accounts/limits/team-limits.js";
import { createTeamService } from "../accounts/teams/teams.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import type { Random } from "../core/random.js";
import type { Accounts } from "../http/server/app-context.js";
import type { HostedTokenizer } from "../core/tokenizer.js";
import type { Logger } from "../core/logger.js";
import { createApiKeyStore } from "../accounts/keys/store.js";
import { createAuditStore } from "../accounts/audit/store.js";
import type { Database } from "../store/database.js";
import { createBillingStore } from "../accounts/money/store/billing.js";
import { createLedgerStore } from "../accounts/money/store/ledger.js";
import { createManagementKeyStore } from "../accounts/management-keys/store.js";
import { createKeyUseStore } from "../accounts/authentication/store.js";
import { createIdentityStore } from "../accounts/sessions/store/identities.js";
import { createSignInLinks } from "../accounts/sign-in/links.js";
import { createSignInStore } from "../accounts/sessions/store/sessions.js";
import { createMemberStore } from "../accounts/members/store.js";
import { createHostedPriceStore } from "../accounts/money/store/hosted-prices.js";
import { createSpendingStore } from "../accounts/money/store/spending-limits.js";
import { createExports } from "../accounts/exports/exports.js";
import { createExportStore } from "../accounts/exports/store.js";
import { createUsageStore } from "../accounts/usage/store/usage.js";
import { createTeamLimitStore } from "../accounts/limits/store.js";
import { createTeamStore } from "../accounts/teams/store.js";
import { createWrites } from "../store/writes.js";

export type AccountStores = ReturnType<typeof buildAccountStores>;

export interface AccountDeps extends AccountStores {
  readonly clock: Clock;
  readonly random: Random;
}

/** Builds the stores of the accounts. */
export function buildAccountStores(database: Database) {
  return {
    teams: createTeamStore(database),
    teamLimits: createTeamLimitStore(database),
    /** Null where the windows are in the memory of the only server. */
    sharedWindows: database.dialect.isShared ? createSharedWindowStore(database) : null,
    accessGroups: createAccessGroupStore(database),
    keys: createApiKeyStore(database),
    managementKeys: createManagementKeyStore(database),
    keyUses: createKeyUseStore(database),
    members: createMemberStore(database),
    signIns: createSignInStore(database),
    identities: createIdentityStore(database),
    audit: createAuditStore(database),
    ledger: createLedgerStore(database),
    billing: createBillingStore(database),
    usage: createUsageStore(database),
    exports: createExportStore(database),
    spending: createSpendingStore(database),
    budgets: createBudgetStore(database),
    hostedPrices: createHostedPriceStore(database),
    writes: createWrites(database),
  };
}

export type Authentication = ReturnType<typeof buildAuthentication>;

interface AuthenticationDeps extends AccountStores {
  readonly hostedTokenizer: HostedTokenizer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts requests and tokens against limits. */
  readonly counter: QuotaCounter;
}

/** Builds authentication and limits, for API keys and management keys. */
export function buildAuthentication(deps: AuthenticationDeps) {
  const { logger, clock, hostedTokenizer: tokenizer } = deps;
  const onError = (err: unknown): void => logger.error({ err }, "the last use of keys could not be written");
  const keyUse = createKeyUse({ ...deps, onError });
  return {
    authenticator: createAuthenticator({ ...deps, keyUse }),
    managerAuthenticator: createManagerAuthenticator({ ...deps, keyUse }),
    rateLimits: createRateLimits({
      ...deps,
      findTeamLimits: (teamId, model) => deps.teamLimits.findFor(teamId, model),
      readCounter: createMemoryCounter(clock),
      estimate: createPromptEstimate({ tokenizer, clock }),
    }),
    /** Must be closed before the database. */
    keyUse,
  };
}

/** Builds what holds requests to their budgets. */
export function buildBudgetGuard(
  deps: AccountDeps & Pick<BudgetGuardDeps, "onRefusal"> & { readonly logger: Logger },
) {
  const onError = (err: unknown): void => deps.logger.error({ err }, "a budget could not be checked");
  return createBudgetGuard({ ...deps, onError });
}

/** Builds the services of the management API. */
export function buildAccounts({ oidcGroups }: Config, deps: AccountDeps): Accounts {
  const auditLog = createAuditLog(deps);
  return {
    keys: createKeyService(deps),
    teams: createTeamService({ ...deps, teamsOfSettings: oidcGroups.map(({ team }) => team) }),
    teamLimits: createTeamLimitService(deps),
    accessGroups: createAccessGroupService(deps),
    members: createMemberService(deps),
    managementKeys: createManagementKeyService({ ...deps, findMember: (id) => deps.members.find(id) }),
    signInLinks: createSignInLinks(deps),
    auditLog,
    credits: createCreditService(deps),
    billing: createBilling(deps),
    spending: createSpendingService(deps),
    budgets: createBudgetService(deps),
    usage: createUsageReports(deps),
    exports: createExports({ ...deps, auditLog }),
    hostedPrices: createHostedPriceService(deps),
    ledger: deps.ledger,
  };
}
