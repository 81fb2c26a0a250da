import type { ApiKey } from "./api-key.js";
import type { Actor } from "../audit/event.js";
import { checkExpireTime, invalid } from "../field-rules.js";
import { hashSecret, redactSecret } from "../authentication/secret.js";

/** How a key is to be rotated. Times are milliseconds since the epoch. */
export interface Rotation {
  /** When the key itself is to expire from now on; left out, that stays. */
  readonly expireTime?: number | null;
  /** How long the old secret still opens; a day when left out. A time that is past ends it at once. */
  readonly oldSecretExpireTime?: number;
}

const dayMs = 86_400_000;
const graceMs = dayMs;
const graceMsMax = 7 * dayMs;

/**
 * The key with another secret. The one that it had opens until the grace is over, but never longer than it would have; the
 * one before that opens nothing from now on.
 * @throws HearthError `invalid_value` naming the field.
 */
export function rotated(key: ApiKey, secret: string, rotation: Rotation, actor: Actor, now: number): ApiKey {
  const { expireTime = key.expireTime, oldSecretExpireTime = now + graceMs } = rotation;
  if (expireTime !== key.expireTime) checkExpireTime(expireTime, now);
  if (!Number.isSafeInteger(oldSecretExpireTime) || oldSecretExpireTime > now + graceMsMax)
    throw invalid("oldSecretExpireTime", "must be within 7 days");
  return {
    ...key,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    previousHash: key.hash,
    previousExpireTime: Math.min(oldSecretExpireTime, key.expireTime ?? oldSecretExpireTime),
    expireTime,
    modifyTime: now,
    modifiedBy: actor.userId,
  };
}
