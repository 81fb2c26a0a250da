/** Changes the settings and aliases of models, and deletes models, for an actor, with entries in the audit log. */
import type { AuditEntry } from "../../accounts/audit/event.js";
import type { Actor, AuditedFields } from "../../accounts/audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { readDetails } from "../library/details.js";
import { removeModel, type ModelFolders } from "../library/remove.js";
import { refuseOutsideFiles } from "../setting-paths.js";
import { SettingSources, type SettingsChange } from "./setting-sources.js";
import type { ModelSettingsStore } from "../settings-store.js";

/** Settings by name; in a change, null removes one. */
type SettingFields = Readonly<Record<string, unknown>>;

interface AdminParts {
  readonly models: ModelRegistry;
  readonly settings: ModelSettingsStore;
  readonly folders: ModelFolders;
  /** Applies changes to the models of this process. */
  readonly reload: () => Promise<void>;
  /** Writes entries into the audit log. */
  readonly record: (actor: Actor, entries: readonly AuditEntry[]) => Promise<void>;
}

/** What a change names is in effect when it resolves. */
export class ModelAdmin {
  readonly sources: SettingSources;
  readonly #parts: AdminParts;

  constructor(parts: AdminParts) {
    this.#parts = parts;
    this.sources = new SettingSources(parts.settings, parts.models);
  }

  /** Returns the settings that are in effect, by id of the model; times are ms. */
  settings(): Readonly<Record<string, SettingFields>> {
    return this.#parts.settings.read().settings;
  }

  /** Reads folders and settings again. */
  reload(): Promise<void> {
    return this.#parts.reload();
  }

  /**
   * Changes settings of a model, which may name any file of the machine.
   * @param id of the model, which exists
   * @throws HearthError as `ModelSettingsStore.update` does.
   */
  set(id: string, change: SettingFields, actor: Actor): Promise<void> {
    return this.#apply([{ id, change }], actor);
  }

  /**
   * Does the same for a manager elsewhere.
   * @throws HearthError `conflict` for an alias that another model has, `invalid_value` for a file outside the models folders.
   */
  async update(id: string, change: SettingFields, actor: Actor): Promise<void> {
    this.#refuseTakenAliases(id, change);
    refuseOutsideFiles(change);
    await this.set(id, change, actor);
  }

  /** Makes a name lead to a model, and to no other one. @throws HearthError when the name is an id, or fixed. */
  setAlias(alias: string, model: Model, actor: Actor): Promise<void> {
    return this.#apply(this.sources.addAlias(alias, model), actor);
  }

  /** @returns the id of the model that had the alias. @throws HearthError when there is none, or it cannot be removed. */
  async removeAlias(alias: string, actor: Actor): Promise<string> {
    const holder = this.sources.aliases().find((each) => each.alias === alias);
    if (holder === undefined) throw new HearthError("not_found", `There is no alias '${alias}'.`);
    await this.#apply([this.sources.dropAlias(holder)], actor);
    return holder.model;
  }

  /** Returns the ids of the models that are adapters over this one. */
  listAdapters(id: string): readonly string[] {
    const { models } = this.#parts;
    return Object.entries(this.settings())
      .filter(([other, { base }]) => other !== id && typeof base === "string")
      .filter(([, { base }]) => models.find(String(base))?.manifest.id === id)
      .map(([other]) => other);
  }

  /**
   * Deletes the files of a model and its settings. Requests that run keep it.
   * @throws HearthError `conflict` for a built-in model, and for files in another place than the folder of models.
   */
  async remove(model: Model, actor: Actor): Promise<void> {
    const { models, folders, record } = this.#parts;
    await removeModel(model, models.list(), folders);
    await record(actor, [describeDeletion(model)]);
    await this.#apply(this.sources.forget(model.manifest.id), actor);
  }

  /** Does the same for a manager elsewhere. @throws HearthError `conflict` for a model that was not pulled, or is the base of adapters. */
  async removePulled(model: Model, actor: Actor): Promise<void> {
    const { id } = model.manifest;
    const [adapter] = this.listAdapters(id);
    if (adapter !== undefined)
      throw new HearthError("conflict", `'${id}' is the base of the adapter '${adapter}'.`);
    if ((await readDetails(model)).origin === null)
      throw new HearthError("conflict", `'${id}' was not pulled, and only pulled models are deleted.`);
    await this.remove(model, actor);
  }

  /** Finds and records what a command has pulled. @param id of the model; null: a projector */
  async addPulled(what: string, id: string | null, actor: Actor): Promise<void> {
    const description = id === null ? `Pulled '${what}'` : `Pulled '${what}' as the model '${id}'`;
    const entry = { objectId: id ?? what, teamId: null, description, before: null, after: { what } };
    await this.#parts.record(actor, [{ action: "PullModel", ...entry }]);
    await this.reload();
  }

  async #apply(changes: readonly SettingsChange[], actor: Actor): Promise<void> {
    const { settings, record } = this.#parts;
    const entries = changes.map((each) => changeSettings(settings, each));
    await record(actor, entries);
    await this.reload();
  }

  /** An alias that only the files of another model suggest is free. @throws HearthError `conflict` that names the alias and the other model */
  #refuseTakenAliases(id: string, { aliases }: SettingFields): void {
    if (!Array.isArray(aliases)) return;
    const known = this.settings();
    for (const [at, alias] of aliases.entries()) {
      const other = this.#parts.models.list().find(({ manifest }) => {
        const set = Object.hasOwn(known, manifest.id) ? known[manifest.id]?.["aliases"] : [];
        return manifest.id !== id && (manifest.id === alias || (Array.isArray(set) && set.includes(alias)));
      });
      if (other === undefined) continue;
      const reason = `aliases: '${String(alias)}' belongs to the model '${other.manifest.id}' already.`;
      throw new HearthError("conflict", reason, { param: `aliases.${at}` });
    }
  }
}

function describeDeletion({ manifest: { id, file } }: Model): AuditEntry {
  const description = `Deleted the model '${id}'`;
  return { action: "DeleteModel", objectId: id, teamId: null, description, before: { file }, after: null };
}

/** Changes settings of a model. @returns the entry of the audit log @throws HearthError as `ModelSettingsStore.update` does. */
function changeSettings(settings: ModelSettingsStore, { id, change }: SettingsChange): AuditEntry {
  const before = audited(settings.of(id), change);
  settings.update(id, change);
  return {
    action: "UpdateModelSettings",
    objectId: id,
    teamId: null,
    description: `Changed the settings of the model '${id}'`,
    before,
    after: audited(settings.of(id), change),
  };
}

const auditedCharactersMax = 500;

/** Returns the settings that a change names, each as JSON, cut to a length. */
function audited(settings: SettingFields, change: SettingFields): AuditedFields {
  const named = Object.keys(change).map(
    (name) => [name, Object.hasOwn(settings, name) ? shown(settings[name]) : null] as const,
  );
  return Object.fromEntries(named);
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, auditedCharactersMax);
}
