import type { ApiKey } from "../../src/accounts/principals/api-key.js";
import { defaultSettings } from "../../src/accounts/keys/setting-rules.js";

/** Returns an API key with default values in all fields that `change` does not set. */
export function aKey(change: Partial<ApiKey> = {}): ApiKey {
  return {
    ...defaultSettings,
    id: "key-1",
    teamId: "team-1",
    userId: "user-1",
    name: "laptop",
    hash: new Uint8Array(32).fill(7),
    redacted: "hk-...abcd",
    previousHash: null,
    previousExpireTime: null,
    lastUseTime: null,
    createTime: 1000,
    modifyTime: 1000,
    modifiedBy: "user-1",
    ...change,
  };
}
