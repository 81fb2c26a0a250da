/** The settings of models as commands show and change them: each with the place where it was made. */
import type { AuditedSettings } from "./operator-audit.js";
import type { Config } from "../config/config.js";
import { HearthError } from "../core/errors.js";
import type { Model } from "../core/model.js";
import { isModelId } from "../models/manifest.js";
import type { LoadedRegistry } from "../models/registry.js";
import type { ModelSettingsStore } from "../models/settings-store.js";
import type { ModelSettings } from "../models/settings.js";

/** One setting of a model. */
export interface ModelSetting {
  /** Dotted, such as `sampling.temperature`. */
  readonly name: string;
  readonly value: unknown;
  /** The path of the configuration file, or `hearth set`. */
  readonly source: string;
}

/** Another name of a model. */
export interface ModelAlias {
  readonly alias: string;
  readonly model: string;
  /** The path of the configuration file, `hearth set`, or `files` for a name that the files and folders of the model suggest. */
  readonly source: string;
}

export interface OperatorSettings {
  listSettings(id: string): readonly ModelSetting[];
  /** Lists all aliases in order. */
  aliases(): readonly ModelAlias[];
  /**
   * Changes settings of a model; null removes one. A running server applies them; the models of this process have them after the next
   * refresh.
   * @throws HearthError as `ModelSettingsStore.update` does.
   */
  change(id: string, change: Readonly<Record<string, unknown>>): Promise<void>;
  /** Removes all settings of a model that commands made. */
  forget(id: string): Promise<void>;
  /** Makes a name lead to a model, and to no other one. @throws HearthError when the name is an id, or fixed. */
  setAlias(alias: string, model: Model): Promise<void>;
  /** @returns the id of the model that had the alias. @throws HearthError when there is none, or it cannot be removed. */
  removeAlias(alias: string): Promise<string>;
}

const setByCommand = "hearth set";

interface Deps {
  readonly config: Config;
  readonly store: ModelSettingsStore;
  readonly commit: AuditedSettings["commit"];
  readonly registry: LoadedRegistry;
}

export function createOperatorSettings(deps: Deps): OperatorSettings {
  const { store, commit } = deps;
  return {
    listSettings: (id) => listSettings(deps, id),
    aliases: () => aliases(deps),
    change: (id, change) => commit(() => store.update(id, change)),
    forget: (id) => commit(() => forgetSettings(deps, id)),
    setAlias: (alias, model) => commit(() => setAlias(deps, alias, model)),
    removeAlias: (alias) => commit(() => removeAlias(deps, alias)),
  };
}

/** Returns the settings of a model that the configuration file has. */
function readFixed({ config }: Pick<Deps, "config">, id: string): ModelSettings {
  return own(config.modelSettings, id);
}

function listSettings(deps: Deps, id: string): readonly ModelSetting[] {
  const fixed = readFixed(deps, id);
  const { aliases: _, ...settings } = own(deps.store.read().settings, id);
  return Object.entries(settings)
    .flatMap(([name, value]) => flattened(name, value))
    .map(({ name, value }) => {
      const isFixed = Object.hasOwn(fixed, name.split(".")[0] ?? "");
      return { name, value, source: isFixed ? findFile(deps) : setByCommand };
    });
}

/** Returns the aliases of a model that commands set. */
function setAliases(deps: Pick<Deps, "config" | "store">, id: string): readonly string[] {
  const inFile = new Set(readFixed(deps, id).aliases);
  return (own(deps.store.read().settings, id).aliases ?? []).filter((alias) => !inFile.has(alias));
}

function aliases(deps: Deps): readonly ModelAlias[] {
  return deps.registry
    .list()
    .flatMap(({ manifest: { id, aliases: names } }) => {
      const sources = new Map([
        ...setAliases(deps, id).map((alias) => [alias, setByCommand] as const),
        ...(readFixed(deps, id).aliases ?? []).map((alias) => [alias, findFile(deps)] as const),
      ]);
      return names.map((alias) => ({ alias, model: id, source: sources.get(alias) ?? "files" }));
    })
    .sort((a, b) => (a.alias < b.alias ? -1 : 1));
}

/** Removes the settings of a model that commands and the management API made. */
export function forgetSettings(deps: Pick<Deps, "config" | "store">, id: string): void {
  const fixed = readFixed(deps, id);
  const names = Object.keys(own(deps.store.read().settings, id)).filter((name) =>
    name === "aliases" ? setAliases(deps, id).length > 0 : !Object.hasOwn(fixed, name),
  );
  if (names.length > 0) deps.store.update(id, Object.fromEntries(names.map((name) => [name, null])));
}

function setAlias(deps: Deps, alias: string, { manifest: { id } }: Model): void {
  if (!isModelId(alias.replaceAll("*", "x")))
    throw invalid("must be 1 to 200 letters, digits or ._:/- and not begin with . or /");
  if (deps.registry.list().some((model) => model.manifest.id === alias))
    throw invalid(`'${alias}' is the ID of a model, which no alias can replace.`);
  const holder = aliases(deps).find((each) => each.alias === alias && each.source !== "files");
  if (holder?.model === id) return;
  if (holder !== undefined) drop(deps, holder);
  deps.store.update(id, { aliases: [...setAliases(deps, id), alias] });
}

function removeAlias(deps: Deps, alias: string): string {
  const holder = aliases(deps).find((each) => each.alias === alias);
  if (holder === undefined) throw new HearthError("not_found", `There is no alias '${alias}'.`);
  drop(deps, holder);
  return holder.model;
}

/** Removes an alias. @throws HearthError `conflict` when no command set it. */
function drop(deps: Deps, holder: ModelAlias): void {
  if (holder.source !== setByCommand) throw isFixedIn(holder);
  const left = setAliases(deps, holder.model).filter((alias) => alias !== holder.alias);
  deps.store.update(holder.model, { aliases: left.length === 0 ? null : left });
}

function findFile({ config }: Deps): string {
  return config.file ?? "hearth.yaml";
}

function own(settings: Readonly<Record<string, ModelSettings>>, id: string): ModelSettings {
  return (Object.hasOwn(settings, id) ? settings[id] : undefined) ?? {};
}

function flattened(
  name: string,
  value: unknown,
): readonly { readonly name: string; readonly value: unknown }[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ name, value }];
  return Object.entries(value).map(([field, each]) => ({ name: `${name}.${field}`, value: each as unknown }));
}

function isFixedIn({ alias, model, source }: ModelAlias): HearthError {
  const place = source === "files" ? "the files and folders of the model name it" : `${source} has it`;
  return new HearthError("conflict", `The alias '${alias}' of '${model}' cannot be changed here: ${place}.`);
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_value", `alias: ${problem}`, { param: "alias" });
}
