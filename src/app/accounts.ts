/** The part of the composition root that builds the accounts: the management plane, the first keys, the command line's own. */
import { cliActor } from "../accounts/actors.js";
import { createAuditLog, type AuditLog } from "../accounts/audit-log.js";
import { createCreditService, type CreditService } from "../accounts/credits.js";
import { createManagerAuthenticator } from "../accounts/authenticate-manager.js";
import { ensureFirstKey, ensureFirstManagementKey } from "../accounts/first-start.js";
import { createKeyService, type KeyService } from "../accounts/keys.js";
import { createManagementKeyService, type ManagementKeyService } from "../accounts/management-keys.js";
import { createTeamService, type TeamService } from "../accounts/teams.js";
import type { Config } from "../config.js";
import type { ApiKeyStore } from "../core/api-key.js";
import type { Actor, AuditStore } from "../core/audit.js";
import type { Clock } from "../core/clock.js";
import type { LedgerStore } from "../core/ledger.js";
import type { ManagementKeyStore } from "../core/management-key.js";
import type { Random } from "../core/random.js";
import type { TeamStore } from "../core/team.js";
import type { Writes } from "../core/write.js";
import type { HttpDeps } from "../http/deps.js";
import { createApiKeyStore } from "../store/api-keys.js";
import { createAuditStore } from "../store/audit-events.js";
import { openDatabase, type Database } from "../store/database.js";
import { createLedgerStore } from "../store/ledger.js";
import { createManagementKeyStore } from "../store/management-keys.js";
import { createTeamStore } from "../store/teams.js";
import { createWrites } from "../store/writes.js";
import { systemClock, systemRandom } from "../system.js";
import { databaseFile, firstKeyFile, firstManagementKeyFile, writeSecret } from "./data-folder.js";

export interface AccountStores {
  readonly teams: TeamStore;
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
  readonly audit: AuditStore;
  readonly ledger: LedgerStore;
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
    keys: createApiKeyStore(database),
    managementKeys: createManagementKeyStore(database),
    audit: createAuditStore(database),
    ledger: createLedgerStore(database),
    writes: createWrites(database),
  };
}

/** The management plane over them. */
export function buildAccounts(deps: AccountDeps): Pick<HttpDeps, "managers" | "accounts"> {
  return {
    managers: createManagerAuthenticator(deps),
    accounts: {
      keys: createKeyService(deps),
      teams: createTeamService(deps),
      auditLog: createAuditLog(deps),
    },
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
  readonly managementKeys: ManagementKeyService;
  readonly auditLog: AuditLog;
  readonly credits: CreditService;
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
    ...buildAccounts(deps).accounts,
    managementKeys: createManagementKeyService(deps),
    credits: createCreditService(deps),
    ledger: deps.ledger,
    actor: cliActor,
    close: () => database.close(),
  };
}
