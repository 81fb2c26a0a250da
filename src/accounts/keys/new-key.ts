import type { ApiKey } from "./api-key.js";
import type { Clock } from "../../core/clock.js";
import type { Random } from "../../core/random.js";
import { hashSecret, redactSecret } from "../authentication/secret.js";

export interface NewKey {
  readonly secret: string;
  readonly teamId: string;
  readonly name: string;
  readonly acls: readonly string[];
  readonly expireTime: number | null;
  readonly qps?: number | null;
  readonly qpm?: number | null;
  readonly tpm?: number | null;
  readonly ipRanges?: readonly string[] | null;
}

/** The noun for a key, not stored yet. @param userId of whoever makes it. */
export function newKey({ secret, ...wish }: NewKey, userId: string, clock: Clock, random: Random): ApiKey {
  const now = clock.now();
  return {
    id: random.id(),
    teamId: wish.teamId,
    userId,
    name: wish.name,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    acls: wish.acls,
    disabled: false,
    blocked: false,
    expireTime: wish.expireTime,
    qps: wish.qps ?? null,
    qpm: wish.qpm ?? null,
    tpm: wish.tpm ?? null,
    previousHash: null,
    previousExpireTime: null,
    ipRanges: wish.ipRanges ?? null,
    lastUseTime: null,
    createTime: now,
    modifyTime: now,
    modifiedBy: userId,
  };
}
