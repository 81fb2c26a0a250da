/** Parses `key=value` words into a change of a model's settings. */
import { parse } from "yaml";
import { HearthError } from "../../core/errors.js";
import { closestTexts } from "../../system/closest-texts.js";
import { settingNames } from "../../models/settings.js";

/** Settings that are texts, whatever they look like in YAML. */
const textSettings = new Set(["system", "template", "base", "keepAlive", "projector"]);

/**
 * Returns the change: fields of a dotted key are objects, and a key without a value is null.
 * @throws HearthError `invalid_value` that names the key.
 */
export function parseAssignments(words: readonly string[]): Readonly<Record<string, unknown>> {
  const change: Record<string, unknown> = {};
  for (const word of words) {
    const [, key, value] = /^([^=]+)=([^]*)$/.exec(word) ?? [];
    if (key === undefined || value === undefined)
      throw invalid(`${word}: must be a setting and its value, such as sampling.temperature=0.7`);
    refuseUnknown(key);
    const [group = key, field] = key.split(".");
    const parsed = parseValue(key, value);
    if (field === undefined) change[group] = parsed;
    else change[group] = { ...toFields(change[group]), [field]: parsed };
  }
  return change;
}

function refuseUnknown(key: string): void {
  const isGroup = settingNames.some((name) => name.startsWith(`${key}.`));
  // The schema says why there is no draft model.
  if (settingNames.includes(key) || isGroup || key === "draft") return;
  const closest = closestTexts(key, settingNames);
  const hint = closest.length === 0 ? "" : ` Did you mean ${closest.join(", ")}?`;
  throw invalid(`${key}: there is no such setting.${hint} There are ${settingNames.join(", ")}.`);
}

function parseValue(key: string, value: string): unknown {
  if (value === "") return null;
  if (textSettings.has(key)) return value;
  // A pattern such as *-mini is no YAML.
  if (key === "aliases" && !value.startsWith("[")) return value.split(",").map((alias) => alias.trim());
  try {
    // JSON has no other numbers: the error names what was written.
    return parse(value, (_, each: unknown) =>
      typeof each === "number" && !Number.isFinite(each) ? String(each) : each,
    ) as unknown;
  } catch {
    throw invalid(`${key}: its value is no YAML`);
  }
}

function toFields(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_value", problem);
}
