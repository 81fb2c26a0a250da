/** The settings of a model as fields of a form: all are text, and empty where the operator has set nothing. */
import type { WireModel } from "../../../http/management/models/present-model.js";
import { ApiError } from "../../lib/client.js";

/** Fields of a form by the name of the setting, such as `prices.prompt`. */
export type ModelFields = Readonly<Record<ModelField, string>>;

export const modelFieldNames = [
  "aliases",
  "context",
  "prices.prompt",
  "prices.cached",
  "prices.completion",
  "prices.image",
  "slots",
  "keepAlive",
  "kvCache",
  "gpuLayers",
  "reasoningTokensMax",
  "system",
  "sampling.temperature",
  "sampling.topP",
  "sampling.maxTokens",
] as const;

export type ModelField = (typeof modelFieldNames)[number];

/** The longest time that the server takes, which `forever` means. */
const foreverMs = 31 * 24 * 3_600_000;

/** Returns the settings of a model as the form begins. */
export function toModelFields({ settings }: WireModel): ModelFields {
  const text = (name: ModelField): string => toText(name, valueAt(settings, name));
  return Object.fromEntries(modelFieldNames.map((name) => [name, text(name)])) as ModelFields;
}

/** Returns the change from one state of the form to another, as the API takes it: null for a field that was emptied. */
export function diffSettings(before: ModelFields, after: ModelFields): Readonly<Record<string, unknown>> {
  const change = new Map<string, unknown>();
  for (const name of modelFieldNames) {
    const text = after[name].trim();
    if (text === before[name]) continue;
    const value = parseValue(name, text);
    const [outer = "", inner] = name.split(".");
    if (inner === undefined) change.set(outer, value);
    else change.set(outer, { ...(change.get(outer) as object | undefined), [inner]: value });
  }
  return Object.fromEntries(change);
}

/** Returns the setting that an error of the server names at the beginning of its message; null for another error. */
export function findFailedSetting(error: unknown): ModelField | null {
  if (!(error instanceof ApiError)) return null;
  const [, path = ""] = /^([A-Za-z.\d]+): /.exec(error.message) ?? [];
  return modelFieldNames.find((name) => path === name || path.startsWith(`${name}.`)) ?? null;
}

function valueAt(settings: WireModel["settings"], name: ModelField): unknown {
  const [outer = "", inner] = name.split(".");
  const value = settings[outer];
  if (inner === undefined) return value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[inner] : undefined;
}

function toText(name: ModelField, value: unknown): string {
  if (value == null) return "";
  if (Array.isArray(value)) return value.join(" ");
  if (name === "keepAlive" && typeof value === "number") return timeText(value);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Numbers are sent as they were typed: the server says what is wrong with them. */
function parseValue(name: ModelField, text: string): unknown {
  if (text === "") return null;
  return name === "aliases" ? text.split(/[\s,]+/).filter((alias) => alias !== "") : text;
}

function timeText(ms: number): string {
  if (ms === foreverMs) return "forever";
  const [unit, size] = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
  ].find(([, size]) => ms > 0 && ms % Number(size) === 0) ?? ["ms", 1];
  return ms === 0 ? "0" : `${ms / Number(size)}${unit}`;
}
