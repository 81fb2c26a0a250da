/** What exists in a simulation before its first request: teams, keys and their limits, a model, and the settings of the server. */
import { createHash } from "node:crypto";
import type { ApiKey } from "../../../src/accounts/principals/api-key.js";
import { defaultSettings } from "../../../src/accounts/keys/setting-rules.js";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { everyModel } from "../../../src/accounts/principals/team-limit.js";
import { createTeamLimitStore } from "../../../src/accounts/limits/store.js";
import { createManagementKeyStore } from "../../../src/accounts/management-keys/store.js";
import { createSpendingStore } from "../../../src/accounts/money/store/spending-limits.js";
import type { BillingMode } from "../../../src/accounts/principals/team.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { defaultTeamSettings } from "../../../src/accounts/principals/team.js";
import { loadConfig, type Config } from "../../../src/config/config.js";
import { noLimits, type Limits } from "../../../src/core/limits.js";
import type { Model } from "../../../src/core/model.js";
import type { Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";

export interface SimulatedTeam {
  readonly id: string;
  readonly billing: BillingMode;
  readonly weight: number;
  readonly keys: readonly SimulatedKey[];
}

export interface SimulatedKey {
  readonly secret: string;
  readonly limits: Limits;
}

/** Limits that the workload reaches. */
export const limits = {
  slots: 3,
  contextTokens: 96,
  /** Tokens of an ordinary prompt and answer together, at most. */
  runTokensMax: 40,
  longAnswerTokens: 60,
  queueDepthMax: 60,
  runsActiveMax: 80,
  jobsQueuedMax: 14,
  jobsActiveMax: 3,
  hardTicks: 300_000,
} as const;

/**
 * What the runs on all slots take is counted when they end, for either team and at the beginning of the comparison, too; and one run may be
 * long.
 */
export const fairnessTerms = {
  slots: limits.slots,
  tokensApartMax: 3 * (limits.slots + 1) * limits.runTokensMax + limits.longAnswerTokens,
} as const;

export const simulatedTeams: readonly SimulatedTeam[] = [
  team("team-1", "prepaid", 1, { qps: 3, qpm: 20, tpm: null }),
  team("team-2", "prepaid", 1, { qps: null, qpm: 12, tpm: 400 }),
  team("team-3", "unmetered", 2, { qps: 2, qpm: null, tpm: null }),
];

/** The team whose spending in a month is bounded. */
export const boundedTeam = "team-2";

/** The limits of all requests of one team on one model. */
export const teamLimits = { teamId: "team-3", limits: { qps: null, qpm: 40, tpm: null } } as const;

/** 20 ticks for a prompt or sampled token, 5 for a cached one. */
export const simulatedModel: Model = {
  manifest: {
    id: "simulated-1m",
    aliases: [],
    kind: "chat",
    name: "Simulated 1M",
    family: "qwen3",
    version: "1.0.0",
    file: "simulated.gguf",
    bytes: 1,
    sha256: null,
    contextTokens: limits.contextTokens,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: { reasoning: false, tools: false, structuredOutputs: false },
    prices: { promptTextTokenTicks: 20, cachedPromptTextTokenTicks: 5, completionTextTokenTicks: 20 },
    license: "Apache-2.0",
    created: 1_795_000_000,
    madeBy: "simulation",
  },
  path: "/nowhere/simulated.gguf",
  unusable: null,
  kvBytesPerToken: 0,
  fingerprint: "fp_0000000000",
};

/** Returns the server's settings. */
export function settings(folder: string): Config {
  const environment = { HEARTH_PORT: "0", HEARTH_DATA: folder, HEARTH_MODELS: folder };
  const { runsActiveMax, queueDepthMax, jobsQueuedMax, jobsActiveMax } = limits;
  return {
    ...loadConfig(environment).config,
    runsActiveMax,
    queueDepthMax,
    jobsQueuedMax,
    jobsActiveMax,
    responsesMax: 1000,
    shutdownGraceMs: 2000,
  };
}

/** Writes the teams, their keys and limits into an empty database. */
export async function fillWorld(database: Database, createTime: number): Promise<void> {
  const writes = createWrites(database);
  const [teamStore, keys] = [createTeamStore(database), createApiKeyStore(database)];
  for (const { id, billing, weight } of simulatedTeams)
    await teamStore.insert({ ...defaultTeamSettings, id, name: id, billing, weight, createTime });
  for (const { id, keys: own } of simulatedTeams)
    for (const key of own) await keys.insert(apiKey(id, key, createTime));
  const { teamId, limits: bounds } = teamLimits;
  const none = { hardTicks: null, softTicks: null };
  await writes.commit([
    createTeamLimitStore(database).insertion({ teamId, model: everyModel, ...bounds }),
    createSpendingStore(database).replacement(boundedTeam, none, { ...none, hardTicks: limits.hardTicks }),
    createManagementKeyStore(database).insertion({
      id: "management-key-1",
      teamId: null,
      userId: "user-1",
      name: "management key",
      hash: sha256("a management key that nothing uses"),
      redacted: "hm-...uses",
      acls: ["team-token:endpoint:*"],
      expireTime: null,
      ipRanges: null,
      lastUseTime: null,
      createTime,
      modifyTime: createTime,
    }),
  ]);
}

/** A team with a key without limits and one with these. */
function team(id: string, billing: BillingMode, weight: number, bounds: Limits): SimulatedTeam {
  const keys = [noLimits, bounds].map((each, at) => ({ secret: `${id}-has-the-key-${at}`, limits: each }));
  return { id, billing, weight, keys };
}

function apiKey(teamId: string, { secret, limits: bounds }: SimulatedKey, createTime: number): ApiKey {
  return {
    ...defaultSettings,
    ...bounds,
    id: `id-of-${secret}`,
    teamId,
    userId: "user-1",
    name: secret,
    hash: sha256(secret),
    redacted: `hk-...${secret.slice(-4)}`,
    acls: ["api-key:endpoint:*", "api-key:model:*"],
    previousHash: null,
    previousExpireTime: null,
    lastUseTime: null,
    createTime,
    modifyTime: createTime,
    modifiedBy: "user-1",
  };
}

function sha256(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
