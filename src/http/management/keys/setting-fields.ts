/** The settings of API keys as fields of answers and requests, made of the entries of `keySettings`. */
import { z } from "zod";
import {
  settingEntries,
  type keySettings,
  type KeySettings,
  type SettingKind,
  type SettingName,
  type SettingsOfKind,
} from "../../../accounts/keys/key-settings.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";
import {
  booleanField,
  epochMs,
  stringList,
  timeField,
  wholeNumber,
} from "../../../dialects/management/fields.js";
import { responseArray } from "../../../dialects/response-fields.js";

/**
 * The JSON of each kind: its schemas, its value for what a request sets, and what an answer shows; undefined = nothing. An empty list
 * of addresses equals an absent one, as in the JSON encoding of protocol buffers.
 */
const kinds = {
  name: {
    answer: () => z.string(),
    request: () => z.string(),
    read: (given: unknown) => given,
    present: (value: unknown) => value,
  },
  acls: {
    answer: (text: string) => responseArray(z.string()).describe(text),
    request: () => stringList.describe("What it may use; none opens nothing."),
    read: (given: unknown) => given,
    present: (value: unknown) => value,
  },
  int32: {
    answer: (text: string) => z.number().min(1).meta({ type: "integer", description: text }).optional(),
    request: (text: string) => wholeNumber(text),
    read: Number,
    present: (value: unknown) => value ?? undefined,
  },
  int64: {
    answer: (text: string) =>
      z
        .string()
        .optional()
        .describe(`${text.slice(0, -1)}: a whole number, as a string.`),
    request: (text: string) => wholeNumber(text),
    read: Number,
    present: (value: unknown) => (typeof value === "number" ? String(value) : undefined),
  },
  time: {
    answer: (text: string) => timeSchema.optional().describe(text),
    request: (text: string) => timeField.describe(text),
    read: (given: unknown) => epochMs(String(given)),
    present: (value: unknown) => (typeof value === "number" ? timestamp(value) : undefined),
  },
  ranges: {
    answer: (text: string) => responseArray(z.string()).optional().describe(text),
    request: (text: string) => stringList.describe(text),
    read: (given: unknown) => (Array.isArray(given) && given.length > 0 ? given : null),
    present: (value: unknown) => value ?? undefined,
  },
  flag: {
    answer: () => z.boolean(),
    request: () => booleanField,
    read: (given: unknown) => given === true || given === "true",
    present: (value: unknown) => value,
  },
  mark: {
    answer: (text: string) => z.literal(true).optional().describe(text),
    request: () => booleanField,
    read: (given: unknown) => given === true || given === "true",
    present: (value: unknown) => (value === true ? value : undefined),
  },
} satisfies Readonly<Record<SettingKind, unknown>>;

type Settings = typeof keySettings;
type Kind<Name extends SettingName> = (typeof kinds)[Settings[Name]["kind"]];
type WireName<Name extends SettingName> = Settings[Name] extends { readonly wire: infer Wire extends string }
  ? Wire
  : Name;

type Answers = { [Name in SettingName as WireName<Name>]: ReturnType<Kind<Name>["answer"]> };

/** The fields of answers. */
export const settingAnswers = Object.fromEntries(
  settingEntries.map(([name, { kind, wire = name, description }]) => [wire, kinds[kind].answer(description)]),
) as Answers;

type Request<Name extends SettingName> = z.ZodOptional<z.ZodNullable<ReturnType<Kind<Name>["request"]>>>;
type Requests = { [Name in SettingName]: Request<Name> } & {
  [Name in SettingName as WireName<Name>]: Request<Name>;
};

/** The fields of a change. A setting that answers show under another name has both names in requests. */
export const settingRequests = toRequests(settingEntries) as Requests;

type State = SettingsOfKind<"flag" | "mark">;

/** The fields of a new key. */
export const newKeyRequests = toRequests(
  settingEntries.filter(([, { kind }]) => kind !== "flag" && kind !== "mark"),
) as Omit<Requests, State>;

function toRequests(entries: typeof settingEntries): Readonly<Record<string, z.ZodType>> {
  const fields = entries.flatMap(([name, { kind, wire, description }]): [string, z.ZodType][] => {
    const field = kinds[kind].request(description).nullish();
    if (wire === undefined) return [[name, field]];
    return [
      [name, field],
      [wire, field.describe(`Another name of \`${name}\`.`)],
    ];
  });
  return Object.fromEntries(fields);
}

/** Converts the fields that are set to a change of a key. */
export function toKeyChange(fields: Readonly<Record<string, unknown>>): Partial<KeySettings> {
  const change = settingEntries.map(([name, { kind, wire = name }]) => {
    const given = fields[wire] ?? fields[name] ?? null;
    return [name, given === null ? null : kinds[kind].read(given)] as const;
  });
  return Object.fromEntries(change.filter(([, value]) => value !== null)) as Partial<KeySettings>;
}

/** Presents the settings of a key. */
export function presentSettings(key: KeySettings): z.infer<z.ZodObject<Answers>> {
  const fields = settingEntries.map(
    ([name, { kind, wire = name }]) => [wire, kinds[kind].present(key[name])] as const,
  );
  return Object.fromEntries(fields) as z.infer<z.ZodObject<Answers>>;
}
