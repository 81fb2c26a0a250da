import { nameVariable, type Config, type LoadedConfig, type ConfigName } from "../config/config.js";
import type { DoctorSetting } from "../core/report/doctor.js";

const secretSettings: readonly string[] = [
  "apiKey",
  "managementKey",
  "ollamaKey",
  "smtpUrl",
  "databaseUrl",
  "redisUrl",
];

/** Returns the effective settings, without secrets. */
export function effectiveSettings({ config, sources }: LoadedConfig): readonly DoctorSetting[] {
  return (Object.keys(sources) as ConfigName[]).map((name) => ({
    name,
    value: valueText(name, config[name]),
    source: sources[name],
    variable: nameVariable(name),
  }));
}

function valueText(name: ConfigName, value: Config[ConfigName]): string {
  if (isSecret(name)) return value === null ? "not set" : "set";
  if (!Array.isArray(value)) return String(value);
  const items: readonly unknown[] = value;
  if (name === "engines") return JSON.stringify(items.map(withoutKey));
  return items.every((item) => typeof item === "string") ? items.join(",") : JSON.stringify(items);
}

/** Returns the setting of an engine without its API key. */
function withoutKey(engine: unknown): unknown {
  const { apiKey, ...rest } = engine as { readonly apiKey: string | null };
  return { ...rest, apiKey: apiKey === null ? "not set" : "set" };
}

function isSecret(name: string): boolean {
  return secretSettings.includes(name) || /(Secret|Password)$/.test(name);
}
