/** Changes the settings of models, and deletes models, for an actor, with an entry in the audit log. */
import type { Model } from "../../core/model.js";
import { auditEntry, type AuditDeps, type AuditEntry } from "../audit/audited-change.js";
import type { Actor, AuditedFields } from "../audit/event.js";

/** Settings by name; in a change, null removes one. */
export type SettingFields = Readonly<Record<string, unknown>>;

/** Where the settings of models are kept. */
export interface SettingsWriter {
  /** Returns the settings that are in effect, by id of the model. */
  read(): { readonly settings: Readonly<Record<string, SettingFields>> };
  /** Returns those of one model. */
  of(id: string): SettingFields;
  /** @throws HearthError `invalid_value` that names the setting, `conflict` for one that has its place elsewhere. */
  update(id: string, change: SettingFields): void;
}

export interface ModelAdminDeps extends AuditDeps {
  readonly settings: SettingsWriter;
  /** Deletes the files and settings of a model. @throws HearthError `conflict` for one that must stay. @returns the entry of the audit log */
  readonly removeFiles: (model: Model) => Promise<AuditEntry>;
  /** Applies changes to the models of this process. */
  readonly reload: () => Promise<void>;
}

export interface ModelAdmin {
  /** Returns the settings that are in effect, by id of the model; times are ms. */
  settings(): Readonly<Record<string, SettingFields>>;
  /**
   * Changes settings of a model; they are in effect when it resolves.
   * @param id of the model, which exists
   * @throws HearthError as `SettingsWriter.update` does.
   */
  update(id: string, change: SettingFields, actor: Actor): Promise<void>;
  /** Deletes a model that was pulled. Requests that run keep it. @throws HearthError `conflict` for another one. */
  remove(model: Model, actor: Actor): Promise<void>;
}

export function createModelAdmin(deps: ModelAdminDeps): ModelAdmin {
  const { settings, reload, removeFiles } = deps;
  return {
    settings: () => settings.read().settings,
    async update(id, change, actor) {
      const entry = updateSettings(settings, id, change);
      await deps.writes.commit([auditEntry(deps, actor, entry)]);
      await reload();
    },
    async remove(model, actor) {
      const entry = await removeFiles(model);
      await deps.writes.commit([auditEntry(deps, actor, entry)]);
      await reload();
    },
  };
}

/** Changes settings of a model. @returns the entry of the audit log @throws HearthError as `SettingsWriter.update` does. */
export function updateSettings(settings: SettingsWriter, id: string, change: SettingFields): AuditEntry {
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
