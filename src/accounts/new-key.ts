import type { ApiKey } from "../core/api-key.js";
import type { Clock } from "../core/clock.js";
import type { Random } from "../core/random.js";
import { hashSecret, redactSecret } from "./secret.js";

/** Who made a key at the command line or by a setting: the operator, who is no member. */
const operatorId = "00000000-0000-0000-0000-000000000000";

export interface NewKey {
  readonly secret: string;
  readonly teamId: string;
  readonly name: string;
  readonly acls: readonly string[];
  readonly expireTime: number | null;
}

/** The noun for a key of the operator's making, not stored yet. */
export function newKey(
  { secret, teamId, name, acls, expireTime }: NewKey,
  clock: Clock,
  random: Random,
): ApiKey {
  const now = clock.now();
  return {
    id: random.id(),
    teamId,
    userId: operatorId,
    name,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    acls,
    disabled: false,
    blocked: false,
    expireTime,
    createTime: now,
    modifyTime: now,
    modifiedBy: operatorId,
  };
}
