/** The settings of a key as the texts of a form, and in a few words. */
import {
  limitsMax,
  settingEntries,
  type KeySetting,
  type SettingKind,
  type SettingName,
} from "../../../accounts/keys/key-settings.js";
import type { WireListedKey } from "../../../http/management/keys/present-key.js";
import { countText } from "../../lib/format.js";

/** A kind of setting whose field is a line of text; an empty line leaves it unset. */
interface TextKind {
  readonly input: {
    readonly type?: "number" | "datetime-local";
    readonly min?: number;
    readonly max?: number;
  };
  /** Returns the text of a value of the API. */
  readonly toText: (value: unknown) => string;
  readonly fromText: (text: string) => unknown;
  /** Returns a few words for the list; null: the list shows it elsewhere. */
  readonly describe: (value: unknown, unit: string) => string | null;
}

const limit = (max: number): TextKind => ({
  input: { type: "number", min: 1, max },
  toText: String,
  fromText: Number,
  describe: (value, unit) => `${countText(Number(value))} ${unit}`,
});

const textKinds: Readonly<Partial<Record<SettingKind, TextKind>>> = {
  int32: limit(limitsMax.int32),
  int64: limit(limitsMax.int64),
  time: {
    input: { type: "datetime-local" },
    toText: (value) => localFieldTime(new Date(String(value))),
    fromText: (text) => new Date(text).toISOString(),
    describe: () => null,
  },
  ranges: {
    input: {},
    toText: (value) => (value as readonly string[]).join(" "),
    fromText: (text) => text.split(/[\s,]+/).filter((range) => range !== ""),
    describe: (value) => `from ${(value as readonly string[]).join(", ")}`,
  },
};

interface TextSetting extends KeySetting, TextKind {
  readonly name: SettingName;
}

/** The settings whose fields are lines of text. */
export const textSettings: readonly TextSetting[] = settingEntries.flatMap(([name, setting]) => {
  const kind = textKinds[setting.kind];
  return kind === undefined ? [] : [{ name, ...setting, ...kind }];
});

/** The texts of settings, by name. */
export type SettingTexts = Readonly<Record<string, string>>;

/** Returns the texts of a key. @param key undefined: a new one */
export function readTexts(key: WireListedKey | undefined): SettingTexts {
  const texts = textSettings.map(({ name, toText }) => {
    const value = valueIn(key, name);
    return [name, value === undefined ? "" : toText(value)];
  });
  return Object.fromEntries(texts) as SettingTexts;
}

/** Returns the limits of a key in a few words; empty when it has none. */
export function describeLimits(key: WireListedKey): string {
  const parts = textSettings.map(({ name, describe, unit = "" }) => {
    const value = valueIn(key, name);
    return value === undefined ? null : describe(value, unit);
  });
  return parts.filter((part) => part !== null).join(" · ");
}

function valueIn(key: WireListedKey | undefined, name: string): unknown {
  return (key as Readonly<Record<string, unknown>> | undefined)?.[name];
}

/** Returns the time as a field of type `datetime-local` has it, to the second. */
function localFieldTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
