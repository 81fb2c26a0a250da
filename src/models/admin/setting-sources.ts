/** Where settings and aliases of models were made: in the configuration file, by a command or the management API, or by the files themselves. */
import { HearthError } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { isModelId } from "../manifest.js";
import type { ModelSettings, SettingsByModel } from "../settings.js";
import type { ModelSettingsStore } from "../settings-store.js";

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

/** A change of the settings of one model; null removes a setting. */
export interface SettingsChange {
  readonly id: string;
  readonly change: Readonly<Record<string, unknown>>;
}

const setByCommand = "hearth set";

/** Knows the sources of the settings of models, and with them what a change of a name needs. It changes nothing itself. */
export class SettingSources {
  readonly #store: ModelSettingsStore;
  readonly #models: ModelRegistry;

  constructor(store: ModelSettingsStore, models: ModelRegistry) {
    this.#store = store;
    this.#models = models;
  }

  /** Lists the settings of a model, without its aliases. */
  settings(id: string): readonly ModelSetting[] {
    const fixed = this.#fixed(id);
    const { aliases: _, ...settings } = this.#store.of(id);
    return Object.entries(settings)
      .flatMap(([name, value]) => flattened(name, value))
      .map(({ name, value }) => {
        const isFixed = Object.hasOwn(fixed, name.split(".")[0] ?? "");
        return { name, value, source: isFixed ? this.#file() : setByCommand };
      });
  }

  /** Lists all aliases in order. */
  aliases(): readonly ModelAlias[] {
    return this.#models
      .list()
      .flatMap(({ manifest: { id, aliases } }) => {
        const sources = new Map([
          ...this.#setAliases(id).map((alias) => [alias, setByCommand] as const),
          ...(this.#fixed(id).aliases ?? []).map((alias) => [alias, this.#file()] as const),
        ]);
        return aliases.map((alias) => ({ alias, model: id, source: sources.get(alias) ?? "files" }));
      })
      .sort((a, b) => (a.alias < b.alias ? -1 : 1));
  }

  /** Returns the changes that make a name lead to a model, and to no other one. @throws HearthError when the name is an id, or fixed. */
  addAlias(alias: string, { manifest: { id } }: Model): readonly SettingsChange[] {
    if (!isModelId(alias.replaceAll("*", "x")))
      throw invalid("must be 1 to 200 letters, digits or ._:/- and not begin with . or /");
    if (this.#models.list().some((model) => model.manifest.id === alias))
      throw invalid(`'${alias}' is the ID of a model, which no alias can replace.`);
    const holder = this.aliases().find((each) => each.alias === alias && each.source !== "files");
    if (holder?.model === id) return [];
    const added = { id, change: { aliases: [...this.#setAliases(id), alias] } };
    return holder === undefined ? [added] : [this.dropAlias(holder), added];
  }

  /** Returns the change that removes an alias. @throws HearthError `conflict` when no command set it. */
  dropAlias({ alias, model: id, source }: ModelAlias): SettingsChange {
    if (source !== setByCommand) {
      const place = source === "files" ? "the files and folders of the model name it" : `${source} has it`;
      throw new HearthError("conflict", `The alias '${alias}' of '${id}' cannot be changed here: ${place}.`);
    }
    const left = this.#setAliases(id).filter((each) => each !== alias);
    return { id, change: { aliases: left.length === 0 ? null : left } };
  }

  /** Returns the change that removes all settings of a model that commands and the management API made; none if they made none. */
  forget(id: string): readonly SettingsChange[] {
    const fixed = this.#fixed(id);
    const names = Object.keys(this.#store.of(id)).filter((name) =>
      name === "aliases" ? this.#setAliases(id).length > 0 : !Object.hasOwn(fixed, name),
    );
    return names.length === 0 ? [] : [{ id, change: Object.fromEntries(names.map((name) => [name, null])) }];
  }

  /** Returns the settings of a model that the configuration file has. */
  #fixed(id: string): ModelSettings {
    const settings: SettingsByModel = this.#store.configured().settings;
    return (Object.hasOwn(settings, id) ? settings[id] : undefined) ?? {};
  }

  /** Returns the aliases of a model that commands set. */
  #setAliases(id: string): readonly string[] {
    const inFile = new Set(this.#fixed(id).aliases);
    return (this.#store.of(id).aliases ?? []).filter((alias) => !inFile.has(alias));
  }

  #file(): string {
    return this.#store.configured().file ?? "hearth.yaml";
  }
}

function flattened(
  name: string,
  value: unknown,
): readonly { readonly name: string; readonly value: unknown }[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ name, value }];
  return Object.entries(value).map(([field, each]) => ({ name: `${name}.${field}`, value: each as unknown }));
}

function invalid(problem: string): HearthError {
  return new HearthError("invalid_value", `alias: ${problem}`, { param: "alias" });
}
