/** The part of the composition root that builds the accounts: doors, the management plane, the first keys, the command line's own. */
import { cliActor } from "../accounts/audit/actors.js";
import { createAuditLog, type AuditLog } from "../accounts/audit/audit-log.js";
import { createBilling } from "../accounts/money/balance-changes.js";
import { createCreditService, type CreditService } from "../accounts/money/credits.js";
import {
  createHostedPriceService,
  type HostedPriceService,
  type ModelNames,
} from "../accounts/money/hosted-prices.js";
import { createSpendingService, type SpendingService } from "../accounts/money/spending-limits.js";
import { createUsageReports, type UsageReports } from "../accounts/usage/usage-reports.js";
import { createAuthenticator } from "../accounts/authentication/authenticate-key.js";
import { createManagerAuthenticator } from "../accounts/authentication/authenticate-manager.js";
import { ensureFirstKey, ensureFirstManagementKey } from "../accounts/keys/first-start.js";
import { createKeyService, type KeyService } from "../accounts/keys/keys.js";
import {
  createManagementKeyService,
  type ManagementKeyService,
} from "../accounts/management-keys/management-keys.js";
import { createKeyUse, type KeyUse } from "../accounts/authentication/key-use.js";
import { createMemberService, type MemberService } from "../accounts/members/members.js";
import { createPromptEstimate } from "../accounts/limits/prompt-estimate.js";
import { createRateLimits } from "../accounts/limits/rate-limits.js";
import { createTeamLimitService, type TeamLimitService } from "../accounts/limits/team-limits.js";
import { createTeamService, type TeamService } from "../accounts/teams/teams.js";
import type { Config } from "../config.js";
import type { ApiKeyStore } from "../accounts/keys/api-key.js";
import type { Actor, AuditStore } from "../accounts/audit/event.js";
import type { Clock } from "../core/clock.js";
import type { HostedPriceStore } from "../accounts/money/hosted-price.js";
import type { LedgerStore } from "../accounts/money/ledger.js";
import type { SpendingStore } from "../accounts/money/spending.js";
import type { UsageStore } from "../accounts/usage/usage-report.js";
import type { TeamLimitStore } from "../accounts/limits/team-limit.js";
import type { ManagementKeyStore } from "../accounts/management-keys/management-key.js";
import type { KeyUseStore } from "../accounts/authentication/key-use-port.js";
import type { MemberStore } from "../accounts/members/member.js";
import type { Random } from "../core/random.js";
import type { TeamStore } from "../accounts/teams/team.js";
import type { Writes } from "../store/write.js";
import type { HttpDeps } from "../http/deps.js";
import type { Logger } from "../core/logger.js";
import { createApiKeyStore } from "../accounts/keys/store.js";
import { createAuditStore } from "../accounts/audit/store.js";
import { openDatabase, type Database } from "../store/database.js";
import { createLedgerStore } from "../accounts/money/store/ledger.js";
import { createManagementKeyStore } from "../accounts/management-keys/store.js";
import { createKeyUseStore } from "../accounts/authentication/store.js";
import { createMemberStore } from "../accounts/members/store.js";
import { createHostedPriceStore } from "../accounts/money/store/hosted-prices.js";
import { createSpendingStore } from "../accounts/money/store/spending-limits.js";
import { createUsageStore } from "../accounts/usage/store.js";
import { createTeamLimitStore } from "../accounts/limits/store.js";
import { createTeamStore } from "../accounts/teams/store.js";
import { createWrites } from "../store/writes.js";
import { systemClock, systemRandom } from "../system.js";
import { openRegistry } from "./models.js";
import { databaseFile, firstKeyFile, firstManagementKeyFile, writeSecret } from "./data-folder.js";

export interface AccountStores {
  readonly teams: TeamStore;
  readonly teamLimits: TeamLimitStore;
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
  readonly keyUses: KeyUseStore;
  readonly members: MemberStore;
  readonly audit: AuditStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly spending: SpendingStore;
  readonly hostedPrices: HostedPriceStore;
  readonly writes: Writes;
}

export interface AccountDeps extends AccountStores {
  readonly clock: Clock;
  readonly random: Random;
}

/** The tables of accounts. */
export function buildAccountStores(database: Database): AccountStores {
  return {
    teams: createTeamStore(database),
    teamLimits: createTeamLimitStore(database),
    keys: createApiKeyStore(database),
    managementKeys: createManagementKeyStore(database),
    keyUses: createKeyUseStore(database),
    members: createMemberStore(database),
    audit: createAuditStore(database),
    ledger: createLedgerStore(database),
    usage: createUsageStore(database),
    spending: createSpendingStore(database),
    hostedPrices: createHostedPriceStore(database),
    writes: createWrites(database),
  };
}

/** Who is let in, and what is noted of it. */
export interface Doors extends Pick<HttpDeps, "authenticator" | "managers" | "rateLimits"> {
  /** To be closed before the database is. */
  readonly keyUse: KeyUse;
}

export interface DoorDeps extends AccountStores, Pick<HttpDeps, "hostedTokenizer"> {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Builds the doors of both planes. */
export function buildDoors(deps: DoorDeps): Doors {
  const { logger, clock, hostedTokenizer: tokenizer } = deps;
  const onTrouble = (err: unknown): void =>
    logger.error({ err }, "when keys were last used could not be written");
  const keyUse = createKeyUse({ ...deps, onTrouble });
  return {
    authenticator: createAuthenticator({ ...deps, keyUse }),
    managers: createManagerAuthenticator({ ...deps, keyUse }),
    rateLimits: createRateLimits({ ...deps, estimate: createPromptEstimate({ tokenizer, clock }) }),
    keyUse,
  };
}

/** What the management plane manages. */
export function buildAccounts(deps: AccountDeps): HttpDeps["accounts"] {
  return {
    keys: createKeyService(deps),
    teams: createTeamService(deps),
    teamLimits: createTeamLimitService(deps),
    members: createMemberService(deps),
    auditLog: createAuditLog(deps),
    credits: createCreditService(deps),
    billing: createBilling(deps),
    spending: createSpendingService(deps),
    usage: createUsageReports(deps),
  };
}

export interface FirstKeys {
  /** The API key that this start made; null when there were keys already or the operator pinned one. */
  readonly firstKey: string | null;
  /** Likewise the management key. */
  readonly firstManagementKey: string | null;
}

/** Sees to it that there are keys to begin with. */
export async function makeFirstKeys(config: Config, deps: AccountDeps): Promise<FirstKeys> {
  const { apiKey, managementKey } = config;
  const { secret } = await ensureFirstKey({
    ...deps,
    pinnedKey: apiKey,
    writeFirstKey: (issued) => writeSecret(firstKeyFile(config), issued),
  });
  const managing = await ensureFirstManagementKey({
    ...deps,
    pinnedKey: managementKey,
    writeFirstKey: (issued) => writeSecret(firstManagementKeyFile(config), issued),
  });
  return {
    firstKey: apiKey === null ? secret : null,
    firstManagementKey: managementKey === null ? managing : null,
  };
}

/** The accounts alone, for one command. */
export interface OpenAccounts {
  readonly keys: KeyService;
  readonly teams: TeamService;
  readonly teamLimits: TeamLimitService;
  readonly members: MemberService;
  readonly managementKeys: ManagementKeyService;
  readonly auditLog: AuditLog;
  readonly credits: CreditService;
  readonly spending: SpendingService;
  readonly usage: UsageReports;
  readonly hostedPrices: HostedPriceService;
  /** The models of this server, by whose names hosted prices are found. */
  modelNames(): Promise<readonly ModelNames[]>;
  readonly ledger: Pick<LedgerStore, "verify">;
  /** Whoever is at the command line. */
  readonly actor: Actor;
  close(): Promise<void>;
}

/** Opens the accounts of the configured data folder; works beside a running server. */
export async function openAccounts(config: Config): Promise<OpenAccounts> {
  const database = await openDatabase(databaseFile(config));
  const deps = { ...buildAccountStores(database), clock: systemClock, random: systemRandom };
  return {
    ...buildAccounts(deps),
    managementKeys: createManagementKeyService(deps),
    hostedPrices: createHostedPriceService(deps),
    modelNames: async () => (await openRegistry(config)).list().map(({ manifest }) => manifest),
    ledger: deps.ledger,
    actor: cliActor,
    close: () => database.close(),
  };
}
