/**
 * The settings of models: hearth.yaml has some, which only a person edits; `model-settings.yaml` in the data folder has the others, which
 * `hearth set` and `/admin/models` write. A setting has one place: what hearth.yaml has cannot be set elsewhere. Aliases of both places
 * are added up.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { replaceFileSync } from "../system/replace-file.js";
import { HearthError } from "../core/errors.js";
import { describeIssue } from "../system/describe-issue.js";
import { readRegularFileSync } from "../system/regular-file.js";
import { quoted } from "./gguf/refusal.js";
import { modelSettingsSchema, type ModelSettings, type SettingsByModel } from "./settings.js";

const modelsMax = 10_000;
const fileBytesMax = 64 * 1024 * 1024;
const comment = "# Settings of models, written by `hearth set`, `hearth alias` and /admin/models.\n";

/** As they are written: `keepAlive: 10m`, not ms. */
const writtenSchema = z.record(z.string().min(1).max(200), z.record(z.string(), z.unknown()));
type Written = z.infer<typeof writtenSchema>;

/** The settings of the configuration file, and its path; null: there is none. */
interface ConfiguredSettings {
  readonly settings: SettingsByModel;
  readonly file: string | null;
}

interface ReadSettings {
  readonly settings: SettingsByModel;
  /** A public sentence that says what is wrong with the file; null if nothing is. */
  readonly problem: string | null;
}

export type ModelSettingsStore = ReturnType<typeof openModelSettings>;

/**
 * Opens the settings.
 * @param file of the settings that are written
 * @param configured returns the settings of hearth.yaml
 */
export function openModelSettings(file: string, configured: () => ConfiguredSettings) {
  let former: SettingsByModel = {};
  const read = (): ReadSettings => {
    const fixed = configured().settings;
    try {
      former = valid(readWritten(file));
      return { settings: merged(former, fixed), problem: null };
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      return {
        settings: merged(former, fixed),
        problem: `The settings of models in ${file} cannot be used: ${reason}`,
      };
    }
  };
  return {
    configured,
    /** Returns the settings by model id. A file that cannot be used leaves its former settings in effect; `problem` says why. */
    read,
    /** Returns the settings of one model. */
    of: (id: string): ModelSettings => own(read().settings, id) ?? {},
    /**
     * Changes settings of a model; null removes one, and an object changes the fields that it has.
     * @throws HearthError `invalid_value` that names the setting, `conflict` for one that hearth.yaml has.
     */
    update(id: string, change: Readonly<Record<string, unknown>>): void {
      refuseFixed(id, change, configured());
      const written = readWritten(file);
      const model = withChange(own(written, id) ?? {}, change);
      refuseInvalid(model);
      const others = Object.entries(written).filter(([name]) => name !== id);
      const rest = Object.keys(model).length === 0 ? others : [...others, [id, model] as const];
      if (rest.length > modelsMax)
        throw new HearthError("invalid_value", `At most ${modelsMax} models can have settings.`);
      write(file, Object.fromEntries(rest));
    },
  };
}

/** @throws Error when the file cannot be read, or is no YAML of settings by model. */
function readWritten(file: string): Written {
  let text: string;
  try {
    text = readRegularFileSync(file, fileBytesMax).toString("utf8");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return {};
    throw thrown;
  }
  const parsed = writtenSchema.safeParse(parse(text) ?? {});
  if (!parsed.success) throw new Error("it must have settings by name for each model.");
  return parsed.data;
}

/** @throws Error that names the first setting that is not valid. */
function valid(written: Written): SettingsByModel {
  const entries = Object.entries(written).map(([id, settings]) => {
    const parsed = modelSettingsSchema.safeParse(settings);
    if (!parsed.success) throw new Error(`${id}.${invalidSetting(parsed.error).message}`);
    return [id, parsed.data] as const;
  });
  return Object.fromEntries(entries);
}

function merged(written: SettingsByModel, fixed: SettingsByModel): SettingsByModel {
  const ids = new Set([...Object.keys(written), ...Object.keys(fixed)]);
  return Object.fromEntries([...ids].map((id) => [id, mergedModel(own(written, id), own(fixed, id))]));
}

function mergedModel(written: ModelSettings = {}, fixed: ModelSettings = {}): ModelSettings {
  const aliases = [...new Set([...(fixed.aliases ?? []), ...(written.aliases ?? [])])];
  return { ...written, ...fixed, ...(aliases.length === 0 ? {} : { aliases }) };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function refuseFixed(
  id: string,
  change: Readonly<Record<string, unknown>>,
  { settings, file }: ConfiguredSettings,
): void {
  const fixed = own(settings, id) ?? {};
  const name = Object.keys(change).find((each) => each !== "aliases" && Object.hasOwn(fixed, each));
  if (name === undefined) return;
  const where = file ?? "hearth.yaml";
  throw new HearthError("conflict", `${name}: ${where} has this setting of ${quoted(id)}; change it there.`, {
    param: name,
  });
}

function withChange(
  model: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  // A map, because a name may be `__proto__`.
  const changed = new Map(Object.entries(model));
  for (const [name, value] of Object.entries(change)) {
    const before = changed.get(name);
    const next = isFields(value) ? withChange(isFields(before) ? before : {}, value) : value;
    if (next === null || (isFields(next) && Object.keys(next).length === 0)) changed.delete(name);
    else changed.set(name, next);
  }
  return Object.fromEntries(changed);
}

/** @throws HearthError `invalid_value` that names the first setting that is not valid. */
function refuseInvalid(model: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(model)) {
    const parsed = parseSetting(name, value);
    if (!parsed.success) throw invalidSetting(parsed.error);
  }
}

/** A value whose `length` cannot be compared, such as `{"length": {"toString": 0}}`, makes the schema throw. */
function parseSetting(name: string, value: unknown) {
  try {
    return modelSettingsSchema.safeParse(Object.fromEntries([[name, value]]));
  } catch {
    throw new HearthError("invalid_value", `${name}: is not valid`, { param: name });
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalidSetting(error: z.ZodError): HearthError {
  const [issue] = error.issues;
  if (issue?.code === "unrecognized_keys")
    return new HearthError(
      "invalid_value",
      `${[...issue.path, ...issue.keys].join(".") || '""'}: there is no such setting`,
    );
  const param = issue?.path.map(String).join(".") ?? "";
  return new HearthError(
    "invalid_value",
    `${param}: ${issue === undefined ? "is not valid" : describeIssue(issue)}`,
    { param },
  );
}

/** Replaces the file as a whole: a crash leaves the old one or the new one, and so do two writers at the same time. */
function write(file: string, written: Written): void {
  mkdirSync(dirname(file), { recursive: true });
  // Another server or command may write at the same time: each writer has a folder of its own.
  const folder = mkdtempSync(`${file}.`);
  const next = join(folder, "new");
  try {
    writeFileSync(next, comment + stringify(written), { mode: 0o600, flush: true });
    replaceFileSync(next, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
