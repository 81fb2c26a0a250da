/**
 * Reads the configuration file. `models` is either the folder of models, or the settings of models by id; `modelsFolders` then names other
 * folders.
 */
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { explainFailure, readErrorCode } from "../system/file-errors.js";
import { readRegularFileSync } from "../system/regular-file.js";
import { describeIssue } from "../system/describe-issue.js";
import { modelSettingsSchema, type SettingsByModel } from "../models/settings.js";

/** The configuration cannot be used; the message says which setting, where it was set and what is wrong. */
export class ConfigError extends Error {}

const fileBytesMax = 16 * 1024 * 1024;
const secretBytesMax = 1024 * 1024;

const settingsByModel = z.record(z.string().min(1).max(200), modelSettingsSchema);

export interface ConfigFile {
  readonly path: string;
  /** Settings of the server by name, not validated. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly modelSettings: SettingsByModel;
  /** Sentences that name each setting of a model that cannot be used. */
  readonly problems: readonly string[];
}

/** @throws ConfigError when the file cannot be read, or is no YAML of settings by name. */
export function readConfigFile(path: string): ConfigFile {
  const { models, ...values } = { models: undefined, ...parseFile(path) };
  if (typeof models !== "object" || models === null)
    return {
      path,
      values: models == null ? values : { ...values, models },
      modelSettings: {},
      problems: [],
    };
  const parsed = settingsByModel.safeParse(withoutEmpty(models));
  if (parsed.success) return { path, values, modelSettings: parsed.data, problems: [] };
  const problems = parsed.error.issues.map((issue) => {
    const [keys, message] =
      issue.code === "unrecognized_keys"
        ? [issue.keys, "there is no such setting"]
        : [[], describeIssue(issue)];
    return `${["models", ...issue.path, ...keys].join(".")} (set by ${path}): ${message}`;
  });
  return { path, values, modelSettings: {}, problems };
}

/** Returns the content of a file without the newline at its end. @throws ConfigError when the file cannot be read. */
export function readSecret(variable: string, path: string): string {
  try {
    return readRegularFileSync(path, secretBytesMax)
      .toString("utf8")
      .replace(/\r?\n$/, "");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ConfigError(`cannot read the file that ${variable} names: ${reason}`);
  }
}

function parseFile(path: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseYaml(readRegularFileSync(path, fileBytesMax).toString("utf8"));
  } catch (thrown) {
    const reason = readErrorCode(thrown) === "ENOENT" ? "it does not exist" : explainFailure(thrown);
    throw new ConfigError(`cannot read the configuration file ${path}: ${reason}`);
  }
  if (content === null) return {};
  if (typeof content !== "object" || Array.isArray(content))
    throw new ConfigError(`the configuration file ${path} must hold settings by name`);
  return content as Readonly<Record<string, unknown>>;
}

/** In YAML, a name with nothing after it is null: a model without settings. */
function withoutEmpty(models: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(models).filter(([, settings]) => settings !== null));
}
