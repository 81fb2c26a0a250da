/** The defaults of a key's settings, which values are valid and what the audit log shows. */
import { auditedTime, type AuditedFields } from "../audit/event.js";
import { checkIpRanges } from "../credentials/ip-ranges.js";
import { checkAcls, checkExpireTime, checkLimit, checkName } from "../field-rules.js";
import { allAcls } from "../principals/acls.js";
import { limitsMax, settingEntries, type KeySettings, type SettingKind } from "./key-settings.js";

const unsetValues: Readonly<Record<SettingKind, unknown>> = {
  name: "",
  acls: [],
  int32: null,
  int64: null,
  time: null,
  ranges: null,
  flag: false,
  mark: false,
};

/** The settings of a key of which nothing is set. */
export const unsetSettings = Object.fromEntries(
  settingEntries.map(([name, { kind }]) => [name, unsetValues[kind]]),
) as unknown as KeySettings;

/** The settings of a key for which only a name is given. */
export const defaultSettings: KeySettings = { ...unsetSettings, acls: allAcls };

type Check = (name: string, value: unknown, now: number) => void;

const checks: Readonly<Partial<Record<SettingKind, Check>>> = {
  name: (_, value) => checkName(String(value)),
  acls: (_, value) => checkAcls(value as readonly string[]),
  int32: (name, value) => checkLimit(name, value as number | null, limitsMax.int32),
  int64: (name, value) => checkLimit(name, value as number | null, limitsMax.int64),
  time: (_, value, now) => checkExpireTime(value as number | null, now),
  ranges: (_, value) => checkIpRanges(value as readonly string[] | null),
};

/** Checks settings. @throws HearthError `invalid_value` naming the first invalid one, in the order of `keySettings`. */
export function checkSettings(settings: Partial<KeySettings>, now: number): void {
  for (const [name, { kind }] of settingEntries) {
    const value = settings[name];
    if (value !== undefined) checks[kind]?.(name, value, now);
  }
}

/** Returns a key as the audit log shows it: without secrets and hashes. */
export function auditedKey(
  key: KeySettings & { readonly redacted: string; readonly previousExpireTime: number | null },
): AuditedFields {
  const settings = settingEntries.map(([name, { kind, wire = name }]) => {
    const value = key[name];
    return [wire, kind === "time" && typeof value === "number" ? auditedTime(value) : value] as const;
  });
  return {
    ...Object.fromEntries(settings),
    redactedApiKey: key.redacted,
    oldSecretExpireTime: auditedTime(key.previousExpireTime),
  };
}
