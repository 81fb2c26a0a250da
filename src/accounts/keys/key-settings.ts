/**
 * The settings of an API key, one entry each. The fields of the management API, the checks, the audit log, the options of `hearth keys`
 * and the form and the list of the console are made of these entries. The console runs this file, too: it imports types alone.
 */
import type { Row } from "../../store/tables.js";

/**
 * What values a setting has. `int32` and `int64`: a limit, which JSON has as a number and as a string; null = no limit. `time`: ms since
 * the epoch; null = never. `ranges`: addresses; null = any. `flag`: JSON has it always. `mark`: JSON has it only when it is true.
 */
export type SettingKind = "name" | "acls" | "int32" | "int64" | "time" | "ranges" | "flag" | "mark";

export interface KeySetting {
  readonly kind: SettingKind;
  /** Its name in answers, and another name in requests; absent: the name of its column. */
  readonly wire?: string;
  /** The label of its field in the console. */
  readonly label: string;
  /** What the console says below its field; absent: the label says everything. */
  readonly hint?: string;
  /** What the OpenAPI document says. */
  readonly description: string;
  /** What follows the number of a limit in the console's list. */
  readonly unit?: string;
  /** The option of `hearth keys create` and `update`, and its help; absent: it has commands of its own. */
  readonly option?: readonly [flags: string, help: string];
}

/** The names are the names of the columns. The first invalid one in this order is what an error names. */
export const keySettings = {
  name: {
    kind: "name",
    label: "Name",
    hint: "What the key is for, such as the name of the program.",
    description: "What the key is for.",
    option: ["--name <name>", "name of the key"],
  },
  acls: {
    kind: "acls",
    wire: "aclStrings",
    label: "May use",
    description:
      "Endpoints and models that the key may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all; empty = none.",
    option: ["--acl <acl>", "permission, such as api-key:endpoint:chat; may be repeated"],
  },
  qps: limit("int32", "--qps", "Requests per second", "requests/s"),
  qpm: limit("int32", "--qpm", "Requests per minute", "requests/min"),
  tpm: limit("int64", "--tpm", "Tokens per minute", "tokens/min"),
  endUserQpm: {
    ...limit("int32", "--user-qpm", "Requests per minute of each end user", "requests/min of each end user"),
    hint: "The end user is the value of user in a request.",
  },
  endUserTpm: limit(
    "int64",
    "--user-tpm",
    "Tokens per minute of each end user",
    "tokens/min of each end user",
  ),
  expireTime: {
    kind: "time",
    label: "Expires",
    hint: "In your local time; never when it is empty.",
    description: "When the key expires: RFC 3339; never when it is absent.",
    option: ["--expires <time>", "when it expires, such as 30d, or never"],
  },
  ipRanges: {
    kind: "ranges",
    label: "Addresses",
    hint: "IP addresses and ranges such as 10.0.0.0/8, with spaces between them; any when it is empty.",
    description: "IP addresses and CIDR ranges from which the key may be used; anywhere when it is absent.",
    option: ["--ip <range>", "address or CIDR range from which the key may be used, or any; may be repeated"],
  },
  disabled: { kind: "flag", label: "Disabled", description: "Whether the team has disabled the key." },
  blocked: { kind: "mark", label: "Blocked", description: "Present if the operator has blocked the key." },
} as const satisfies Readonly<Record<string, KeySetting>>;

export type SettingName = keyof typeof keySettings;

/** The settings of some kinds. */
export type SettingsOfKind<Kind extends SettingKind> = {
  [Name in SettingName]: (typeof keySettings)[Name]["kind"] extends Kind ? Name : never;
}[SettingName];

/** What can be set of a key: everything that the server does not set itself. */
export type KeySettings = Pick<Row<"apiKeys">, SettingName>;

/** Lists the settings in their order. */
export const settingEntries = Object.entries(keySettings) as readonly (readonly [SettingName, KeySetting])[];

/** The largest limit of each kind. */
export const limitsMax = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER } as const;

function limit<Kind extends "int32" | "int64">(kind: Kind, flag: string, label: string, unit: string) {
  const help = `${label.charAt(0).toLowerCase()}${label.slice(1)}, or none`;
  const option = [`${flag} <n>`, help] as const;
  return { kind, label, unit, description: `${label}.`, option } as const;
}
