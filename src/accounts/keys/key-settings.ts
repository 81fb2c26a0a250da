/** The settings of an API key: their meaning, their defaults, which values are valid and what the audit log shows. */
import { auditedTime, type AuditedFields } from "../audit/event.js";
import { checkAcls, checkExpireTime, checkLimit, checkName } from "../field-rules.js";
import { allAcls } from "../principals/acls.js";
import type { ApiKey } from "../principals/api-key.js";
import { checkIpRanges } from "../credentials/ip-ranges.js";

/** What can be set when a key is created or changed: everything that the server does not set itself. */
export type KeySettings = Omit<
  ApiKey,
  | "id"
  | "teamId"
  | "userId"
  | "hash"
  | "redacted"
  | "previousHash"
  | "previousExpireTime"
  | "lastUseTime"
  | "createTime"
  | "modifyTime"
  | "modifiedBy"
>;

/** The settings of a key for which only a name is given. */
export const defaultSettings: Omit<KeySettings, "name"> = {
  acls: allAcls,
  disabled: false,
  blocked: false,
  expireTime: null,
  qps: null,
  qpm: null,
  tpm: null,
  endUserQpm: null,
  endUserTpm: null,
  ipRanges: null,
};

const limitFields = ["qps", "qpm", "tpm", "endUserQpm", "endUserTpm"] as const;

/** Checks settings. @throws HearthError `invalid_value` naming the first invalid field, in the order of the request's schema. */
export function checkSettings(settings: Partial<KeySettings>, now: number): void {
  if (settings.name !== undefined) checkName(settings.name);
  if (settings.acls !== undefined) checkAcls(settings.acls);
  for (const field of limitFields) checkLimit(field, settings[field] ?? null);
  checkExpireTime(settings.expireTime ?? null, now);
  checkIpRanges(settings.ipRanges ?? null);
}

/** Returns a key as the audit log shows it: without secrets and hashes. */
export function auditedKey(
  key: KeySettings & { readonly redacted: string; readonly previousExpireTime: number | null },
): AuditedFields {
  return {
    name: key.name,
    redactedApiKey: key.redacted,
    aclStrings: key.acls,
    disabled: key.disabled,
    blocked: key.blocked,
    expireTime: auditedTime(key.expireTime),
    qps: key.qps,
    qpm: key.qpm,
    tpm: key.tpm,
    endUserQpm: key.endUserQpm,
    endUserTpm: key.endUserTpm,
    oldSecretExpireTime: auditedTime(key.previousExpireTime),
    ipRanges: key.ipRanges,
  };
}
