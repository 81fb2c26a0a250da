import type { ApiKey } from "../principals/api-key.js";
import type { Actor } from "../audit/event.js";
import { checkExpireTime, invalid } from "../field-rules.js";
import { redactSecret } from "../../core/report/redact-secret.js";
import { hashSecret } from "../credentials/secret.js";

/** Times are milliseconds since the epoch. */
export interface RotateKeyRequest {
  /** New expiry time of the key; absent = unchanged. */
  readonly expireTime?: number | null;
  /** When the old secret stops working; absent = in a day. A time in the past stops it at once. */
  readonly oldSecretExpireTime?: number;
}

const dayMs = 86_400_000;
const graceMs = dayMs;
const graceMsMax = 7 * dayMs;

/**
 * Returns the key with a new secret. The old secret works until the grace period ends or it would have expired, whichever
 * is earlier; the one before that stops working at once.
 * @throws HearthError `invalid_value` naming the field.
 */
export function rotateKey(
  key: ApiKey,
  secret: string,
  request: RotateKeyRequest,
  actor: Actor,
  now: number,
): ApiKey {
  const { expireTime = key.expireTime, oldSecretExpireTime = now + graceMs } = request;
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
