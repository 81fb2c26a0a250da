/**
 * The configuration: defaults, then `hearth.yaml` (or the file that `--config` or HEARTH_CONFIG names), then HEARTH_*
 * environment variables, into one frozen, validated object. Every default, unit and limit of the server is in this folder.
 */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { alertSettings } from "./alerts.js";
import { ConfigError, readConfigFile, readSecret, type ConfigFile } from "./file.js";
import { describeIssue } from "../system/describe-issue.js";
import { engineSettings } from "./engines.js";
import { mcpSettings } from "./mcp.js";
import { metricsSettings } from "./metrics.js";
import { oidcSettings } from "./oidc.js";
import { storageSettings } from "./storage.js";
import { readTraceExport, type TraceExport } from "./tracing.js";
import { onOff, list, operatorKey, origin, secretSettings, whole, zeroOr } from "./values.js";
import { platformDefault, platformFolders } from "./default-folders.js";
import { isLoopback, refuseContradictions } from "./rules.js";
import { closestTexts } from "../system/closest-texts.js";
import type { SettingsByModel } from "../models/settings.js";

export { ConfigError, isLoopback };

/** Settings by name; the environment variable of `queueDepthMax` is HEARTH_QUEUE_DEPTH_MAX. */
const settings = {
  /** Address to listen on. */
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 = any free port. */
  port: whole(0, 65_535).default(4280),
  /** Folder of the database and the first key; default-folders.ts has the default of an installed package. */
  data: z.string().min(1).default("data"),
  /** Folder of models, which also receives those that are downloaded. The default one may be absent. */
  models: z.string().min(1).default("models"),
  /** More folders of models. */
  modelsFolders: list.default([]),
  /** An API key that the operator chooses. */
  apiKey: operatorKey
    .refine((key) => !key.startsWith("hm-"), "must not begin with hm-, the prefix of management keys")
    .nullable()
    .default(null),
  /** A management key that the operator chooses. */
  managementKey: operatorKey
    .refine((key) => !key.startsWith("hk-"), "must not begin with hk-, the prefix of API keys")
    .nullable()
    .default(null),
  /** Whether a pinned key ends at the first start without its setting, or stays. */
  pinnedKeys: z.enum(["end", "keep"]).default("end"),
  /** `auto`: warn on a terminal, else info. */
  logLevel: z.enum(["auto", "silent", "error", "warn", "info", "debug"]).default("auto"),
  /** Bytes of the log in the data folder; 0: it has none. */
  logBytesMax: zeroOr(whole(65_536, 1_099_511_627_776)).default(33_554_432),
  /** true behind a proxy that terminates TLS: a public address is allowed, and X-Forwarded-* headers are trusted. */
  trustProxy: onOff.default(false),
  /** PEM file of the server's certificate, which makes it speak HTTPS; the file may also have the certificates of intermediate authorities. */
  tlsCert: z.string().min(1).nullable().default(null),
  /** PEM file of the certificate's private key. */
  tlsKey: z.string().min(1).nullable().default(null),
  /** Whether an address that other machines can reach may be served in plain text. */
  allowInsecureLan: onOff.default(false),
  /** Host names that requests may be addressed to, in addition to the loopback ones. */
  allowedHosts: list.default([]),
  /** Origins whose web pages may call /v1 and /api; `*`: all. */
  corsOrigins: list.pipe(z.array(origin)).default([]),
  /** Whether Ollama's interface is served at /api. */
  ollamaApi: z.enum(["on", "off"]).default("on"),
  /** The API key that requests to /api have which present none, from programs on this machine; null: they need one. */
  ollamaKey: z.string().min(1).max(512).nullable().default(null),
  /** Largest request body. */
  bodyBytesMax: whole(1024, 1_073_741_824).default(33_554_432),
  /** Bytes of all request bodies in memory: half of them for bodies up to 256 KiB. Further ones wait, and are then refused. */
  bodiesBytesMax: whole(1_048_576, 1_099_511_627_776).default(268_435_456),
  /** Runs that may be active at a time, in any state. */
  runsActiveMax: whole(1, 100_000).default(256),
  /** Runs that may wait for a slot, over all models. */
  queueDepthMax: whole(0, 100_000).default(64),
  /** Deferred completions that may be queued, and as many background responses. */
  jobsQueuedMax: whole(0, 1_000_000).default(20_000),
  /** How many of each kind may be in flight at a time; interactive requests take precedence over them. */
  jobsActiveMax: whole(1, 1_000).default(8),
  ...storageSettings,
  ...mcpSettings,
  ...oidcSettings,
  ...metricsSettings,
  ...engineSettings,
  ...alertSettings,
  /** Generations of one model that run at the same time. */
  slotsPerModel: whole(1, 255).default(4),
  /** Limit on the tokens of one slot, whatever the model allows; 0 = as memory allows: it is reserved in advance. */
  contextTokensMax: zeroOr(whole(64, 1_048_576)).default(0),
  /** Tokens after which reasoning is ended, where neither the request states an effort or a budget nor the manifest a limit. */
  reasoningTokensMax: whole(1, 1_048_576).default(4096),
  /** Prompt tokens evaluated between two tokens of another answer; 0 = 128 on a CPU, 512 on a GPU. */
  prefillChunkTokens: zeroOr(whole(8, 4096)).default(0),
  /** Time between two tokens of an answer that the evaluation of other prompts should not exceed. */
  tokenGapMsMax: whole(10, 600_000).default(500),
  /** Bytes of evaluated prompts stored in the data folder; 0 stores none. */
  prefixCacheBytesMax: whole(0, 1_099_511_627_776).default(1_073_741_824),
  /** Bytes of them that are in memory, too; 0: none. */
  prefixMemoryBytesMax: whole(0, 1_099_511_627_776).default(268_435_456),
  /** Bytes of generated images stored in the data folder, for an hour each; 0 stores none. */
  imagesBytesMax: whole(0, 1_099_511_627_776).default(1_073_741_824),
  /**
   * Hosts that images of conversations may be fetched from: names, `*.domain`, or `*` for any public address, with `:port` when it is
   * not the scheme's default; `off`: only `data:` URLs are read.
   */
  imageFetch: z.union([z.literal("off").transform((): string[] => []), list]).default([]),
  /** Images that one request may contain. */
  imagesMax: whole(0, 1_000).default(32),
  /** Sounds that one request may contain, and the seconds that they may last together. */
  soundsMax: whole(0, 1_000).default(32),
  audioSecondsMax: whole(1, 86_400).default(600),
  /** Tokens of one image at most, for models that read images themselves and can choose; 0 = 512 on a CPU, 2,048 on a GPU. */
  imageTokensMax: whole(0, 65_536).default(0),
  /** Id or alias of the model that describes images; null: the largest vision model. */
  visionModel: z.string().min(1).nullable().default(null),
  /** Type of the KV cache: q8_0 halves and q4_0 quarters its memory, and both make prefill slower. */
  kvCacheType: z.enum(["f16", "q8_0", "q4_0"]).default("f16"),
  flashAttention: z.enum(["auto", "on", "off"]).default("auto"),
  /** Whether text that a schema forces is evaluated at once instead of token by token. */
  forcedTokens: z.enum(["on", "off"]).default("on"),
  /** Whether text that an answer repeats is evaluated at once, as far as that is faster. */
  promptLookup: z.enum(["auto", "off"]).default("auto"),
  /**
   * What an object schema without `additionalProperties` means: `closed`, only declared properties are generated, as the hosted
   * service does; `open`, others too, as the standard does.
   */
  schemaObjects: z.enum(["closed", "open"]).default("closed"),
  /** Memory that all models together may take; 0 = four fifths of the available memory. */
  memoryBytesMax: whole(0, Number.MAX_SAFE_INTEGER).default(0),
  /** How long an unused model stays in memory. */
  keepAliveMs: whole(0, 86_400_000).default(300_000),
  /** Threads of one decode; 0 = by a trial when a model is first loaded. */
  threads: whole(0, 1024).default(0),
  threadPool: z.enum(["auto", "off"]).default("auto"),
  gpu: z.enum(["auto", "off", "cuda", "vulkan", "metal"]).default("auto"),
  /** Whether `hearth run` keeps what is typed, for the arrow keys of later chats. */
  runHistory: z.enum(["on", "off"]).default("on"),
  /** How long answers in flight may take to finish once the server is stopped. */
  shutdownGraceMs: whole(0, 3_600_000).default(10_000),
} as const;

const schema = z.strictObject(settings);

export interface Config extends Readonly<z.infer<typeof schema>> {
  /** Settings of models by id, as the configuration file has them. */
  readonly modelSettings: SettingsByModel;
  /** Absolute path of the configuration file; null when there is none. */
  readonly file: string | null;
  readonly traceExport: TraceExport;
}
export type ConfigName = keyof typeof settings;

export interface LoadedConfig {
  readonly config: Config;
  /** Where each value comes from: `default` or `platformDefault`, the file's path, the variable's name, or an option such as `--port`. */
  readonly sources: Readonly<Record<ConfigName, string>>;
}

/** Settings that `hearth start` takes as options. */
export interface CommandLineSettings {
  readonly host?: string;
  readonly port?: string;
}

/** A configuration that was read as far as it can be, for `hearth doctor`. */
export interface ExaminedSettings {
  /** What is wrong has its default. */
  readonly loaded: LoadedConfig;
  /** Sentences about what is wrong. */
  readonly problems: readonly string[];
}

/**
 * Reads the configuration.
 * @param environment the process's environment.
 * @param file a configuration file named on the command line; it must exist.
 * @param options of the command line, by the names of settings: they have the last word.
 * @throws ConfigError
 */
export function loadConfig(
  environment: NodeJS.ProcessEnv,
  file: string | null = null,
  options: CommandLineSettings = {},
): LoadedConfig {
  const { loaded, problems, isWhole } = readSettings(environment, file, options, (thrown) => {
    throw thrown;
  });
  if (!isWhole) throw refusal(problems);
  return loaded;
}

/** Reads the configuration as `loadConfig` does, and goes on where something is wrong. */
export function examineSettings(
  environment: NodeJS.ProcessEnv,
  file: string | null = null,
): ExaminedSettings {
  return readSettings(environment, file, {}, () => undefined);
}

/** @param onError is called with each error that ends the reading of a part; what is wrong with single settings is a problem. */
function readSettings(
  environment: NodeJS.ProcessEnv,
  file: string | null,
  options: CommandLineSettings,
  onError: (thrown: ConfigError) => void,
): ExaminedSettings & { readonly isWhole: boolean } {
  const problems: string[] = [];
  const attempt = <Result>(read: () => Result): Result | null => {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      onError(thrown);
      problems.push(thrown.message);
      return null;
    }
  };
  const named = file ?? (environment["HEARTH_CONFIG"] || null);
  const path = named ?? (existsSync("hearth.yaml") ? "hearth.yaml" : null);
  const values: Record<string, unknown> = { ...platformFolders(environment) };
  const sources: Record<string, string> = {};
  for (const name of Object.keys(settings)) sources[name] = name in values ? platformDefault : "default";
  const usual = { ...sources };
  const content = path === null ? null : attempt(() => readConfigFile(path));
  if (content !== null) takeFile(content, values, sources, problems);
  attempt(() => readEnvironment(environment, values, sources, problems));
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    values[name] = value;
    sources[name] = `--${name}`;
  }
  const { data, wrong } = parseSettings(values, sources, usual, problems);
  const isWhole = problems.length === 0 && wrong.length === 0;
  const rest = {
    modelSettings: content?.modelSettings ?? {},
    file: path === null ? null : resolve(path),
    traceExport: readTraceExport(environment),
  };
  const all = { ...data, ...rest };
  // Contradictions between settings that are wrong already say nothing.
  if (isWhole) attempt(() => refuseWrongPlaces(all, sources));
  return {
    loaded: { config: resolvePaths(all), sources: sources as Record<ConfigName, string> },
    problems,
    isWhole,
  };
}

/** Returns the settings; what is wrong has its default, and is added to the problems. */
function parseSettings(
  values: Record<string, unknown>,
  sources: Record<string, string>,
  usual: Readonly<Record<string, string>>,
  problems: string[],
) {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { data: parsed.data, wrong: [] };
  problems.push(...describeProblems(parsed.error, sources));
  const wrong = [...new Set(parsed.error.issues.map(({ path: [name] }) => String(name)))];
  const left = Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.includes(name)));
  for (const name of wrong) sources[name] = usual[name] ?? "default";
  return { data: schema.parse(left), wrong };
}

/**
 * Reads the settings of models in a configuration file again.
 * @throws ConfigError that names everything that is wrong with them.
 */
export function readModelSettings(file: string): SettingsByModel {
  const { modelSettings, problems } = readConfigFile(file);
  if (problems.length > 0) throw refusal(problems);
  return modelSettings;
}

/** HEARTH_ and the setting's name in capitals. */
export function nameVariable(setting: string): string {
  return `HEARTH_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function takeFile(
  { path, values: written, problems: found }: ConfigFile,
  values: Record<string, unknown>,
  sources: Record<string, string>,
  problems: string[],
): void {
  problems.push(...found);
  for (const [name, value] of Object.entries(written)) {
    if (!Object.hasOwn(settings, name)) {
      problems.push(`${path}: unknown setting '${name}'${suggestSetting(name)}`);
      continue;
    }
    values[name] = value;
    sources[name] = path;
  }
}

function readEnvironment(
  environment: NodeJS.ProcessEnv,
  values: Record<string, unknown>,
  sources: Record<string, string>,
  problems: string[],
): void {
  const names = new Map(Object.keys(settings).map((name) => [nameVariable(name), name]));
  const fileVariables = new Map(secretSettings.map((name) => [`${nameVariable(name)}_FILE`, name]));
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith("HEARTH_") || variable === "HEARTH_CONFIG" || value === undefined) continue;
    const secret = fileVariables.get(variable);
    const name = secret ?? names.get(variable);
    if (name === undefined) {
      const hint = suggestVariable(variable) || "; `hearth doctor --all` lists the settings";
      problems.push(`unknown environment variable ${variable}${hint}`);
      continue;
    }
    if (value === "") continue;
    const other = sources[name];
    if (other?.startsWith("HEARTH_"))
      throw new ConfigError(`${name} is set twice, by ${other} and by ${variable}; remove one of them`);
    values[name] = secret === undefined ? value : readSecret(variable, value);
    sources[name] = variable;
  }
}

/** Returns a question about the closest setting; nothing where none is close. */
function suggestSetting(name: string): string {
  const variable = findVariable(nameVariable(name));
  const meant = Object.keys(settings).find((each) => nameVariable(each) === variable);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function suggestVariable(name: string): string {
  const meant = findVariable(name);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Names with the common beginning are compared: short ones would differ too much. */
function findVariable(name: string): string | undefined {
  return closestTexts(name, Object.keys(settings).map(nameVariable))[0];
}

function describeProblems(error: z.ZodError, sources: Readonly<Record<string, string>>): readonly string[] {
  return error.issues.map((issue) => {
    const name = String(issue.path[0] ?? "");
    return `${issue.path.join(".")} (set by ${sources[name] ?? "?"}): ${describeIssue(issue)}`;
  });
}

function refusal(problems: readonly string[]): ConfigError {
  return new ConfigError(`the configuration cannot be used: ${problems.join("; ")}`);
}

/** @throws ConfigError when settings contradict each other, or a folder that was set does not exist. */
function refuseWrongPlaces(values: Config, sources: Readonly<Record<string, string>>): void {
  refuseContradictions(values, sources);
  if (!sources["models"]?.startsWith("default"))
    refuseMissingFolder("models", resolve(values.models), sources);
  for (const folder of resolveFolders(values.modelsFolders))
    refuseMissingFolder("modelsFolders", folder, sources);
}

function resolvePaths(values: Config): Config {
  const tlsCert = values.tlsCert === null ? null : resolve(values.tlsCert);
  const tlsKey = values.tlsKey === null ? null : resolve(values.tlsKey);
  const sharedFolder = values.sharedFolder === null ? null : resolve(values.sharedFolder);
  const [data, models] = [resolve(values.data), resolve(values.models)];
  const modelsFolders = resolveFolders(values.modelsFolders);
  return Object.freeze({ ...values, data, sharedFolder, models, modelsFolders, tlsCert, tlsKey });
}

function resolveFolders(folders: readonly string[]): string[] {
  return folders.filter((folder) => folder !== "").map((folder) => resolve(folder));
}

/** A folder that exists and cannot be read is reported where it is read. @throws ConfigError when there is no such folder. */
function refuseMissingFolder(
  name: ConfigName,
  path: string,
  sources: Readonly<Record<string, string>>,
): void {
  const refuse = (reason: string): never => {
    throw new ConfigError(`${name} (set by ${sources[name] ?? "?"}): ${path} ${reason}`);
  };
  try {
    if (statSync(path).isDirectory()) return;
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
    if (code !== "ENOENT" && code !== "ENOTDIR") return;
    refuse("does not exist");
  }
  refuse("is not a folder");
}
