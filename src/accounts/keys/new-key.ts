import type { ApiKey } from "../principals/api-key.js";
import type { Clock } from "../../core/clock.js";
import type { Random } from "../../core/random.js";
import type { KeySettings } from "./key-settings.js";
import { defaultSettings } from "./setting-rules.js";
import { redactSecret } from "../../core/report/redact-secret.js";
import { hashSecret } from "../credentials/secret.js";

interface NewKey extends Partial<KeySettings> {
  readonly name: string;
  readonly secret: string;
  readonly teamId: string;
}

/** Returns a new key that is not stored yet; absent settings have their defaults. @param userId who creates it. */
export function newKey(
  { secret, teamId, ...settings }: NewKey,
  userId: string,
  clock: Clock,
  random: Random,
): ApiKey {
  const now = clock.now();
  return {
    ...defaultSettings,
    ...settings,
    id: random.id(),
    teamId,
    userId,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    previousHash: null,
    previousExpireTime: null,
    lastUseTime: null,
    createTime: now,
    modifyTime: now,
    modifiedBy: userId,
  };
}
