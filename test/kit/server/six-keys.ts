/** The database of a scripted server: two teams, six keys and a management key. */
import { createHash } from "node:crypto";
import type { ApiKey } from "../../../src/accounts/principals/api-key.js";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import type { ManagementKey } from "../../../src/accounts/principals/management-key.js";
import { createManagementKeyStore } from "../../../src/accounts/management-keys/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { defaultTeamSettings } from "../../../src/accounts/principals/team.js";
import type { Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { aKey } from "../a-key.js";

/** When the teams and keys were made, and what the clock of a scripted server shows first. */
export const startTime = Date.UTC(2026, 10, 21, 8, 0, 1);

export const keys = {
  /** May do everything. */
  ada: "ada-has-a-key-of-her-own",
  /** May chat, with one model that does not exist. */
  bob: "bob-has-a-key-of-his-own",
  /** May count the tokens of one hosted model's texts. */
  cleo: "cleo-has-a-key-of-her-own",
  /** May do everything, in another team. */
  mallory: "mallory-has-a-key-of-team-2",
  /** May chat, with every model. */
  chatter: "chatter-has-a-key-for-chats",
  /** May do nothing. */
  eve: "eve-has-a-key-of-no-use",
} as const;

/** Two teams, the keys above, and a management key, so that the first start has nothing to add. */
export async function seedKeys(database: Database): Promise<void> {
  const [teams, apiKeys] = [createTeamStore(database), createApiKeyStore(database)];
  for (const id of ["team-1", "team-2"])
    await teams.insert({
      id,
      name: id,
      billing: "unmetered",
      ...defaultTeamSettings,
      createTime: startTime,
    });
  for (const name of ["ada", "bob", "cleo", "mallory", "chatter", "eve"] as const)
    await apiKeys.insert(keyOf(name));
  await createWrites(database).commit([createManagementKeyStore(database).insertion(managementKey)]);
}

const acls: Readonly<Record<keyof typeof keys, readonly string[]>> = {
  ada: ["api-key:endpoint:*", "api-key:model:*"],
  bob: ["api-key:endpoint:chat", "api-key:endpoint:models", "api-key:model:gone-1m"],
  cleo: ["api-key:endpoint:tokenize", "api-key:model:gpt-4o"],
  mallory: ["api-key:endpoint:*", "api-key:model:*"],
  chatter: ["api-key:endpoint:chat", "api-key:model:*"],
  eve: [],
};

function keyOf(name: keyof typeof keys): ApiKey {
  return aKey({
    id: `key-of-${name}`,
    teamId: name === "mallory" ? "team-2" : "team-1",
    name,
    hash: sha256(keys[name]),
    redacted: `hk-...${keys[name].slice(-4)}`,
    acls: acls[name],
    createTime: startTime - 1234,
    modifyTime: startTime,
  });
}

const managementKey: ManagementKey = {
  id: "management-key-1",
  teamId: null,
  userId: "user-1",
  name: "management key",
  hash: sha256("a management key that no test uses"),
  redacted: "hm-...uses",
  acls: ["team-token:endpoint:*"],
  expireTime: null,
  ipRanges: null,
  lastUseTime: null,
  createTime: startTime,
  modifyTime: startTime,
};

function sha256(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
