/** Changes the settings of models, loads, unloads and deletes models, for an actor, with an entry in the audit log. */
import { HearthError } from "../core/errors.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { auditEntry, type AuditDeps, type AuditEntry } from "./audit/audited-change.js";
import type { Actor, AuditedFields } from "./audit/event.js";

/** Settings by name; in a change, null removes one. */
type SettingFields = Readonly<Record<string, unknown>>;

/** Where the settings of models are kept. */
interface SettingsWriter {
  /** Returns the settings that are in effect, by id of the model. */
  read(): { readonly settings: Readonly<Record<string, SettingFields>> };
  /** Returns the settings of one model. */
  of(id: string): SettingFields;
  /** @throws HearthError `invalid_value` that names the setting, `conflict` for one that has its place elsewhere. */
  update(id: string, change: SettingFields): void;
}

/** The models in memory, as the operator controls them. */
interface ModelMemoryControl {
  /** Resolves when the model is in memory. @throws HearthError `model_unavailable`, or the signal's reason when it aborts. */
  load(model: Model, signal: AbortSignal): Promise<void>;
  /** Unloads a model as soon as no run uses it. @param id the model's id */
  unload(id: string): void;
}

interface ModelAdminDeps extends AuditDeps {
  readonly settings: SettingsWriter;
  /** Deletes the files and settings of a model. @throws HearthError `conflict` for one that must stay. @returns the entry of the audit log */
  readonly removeFiles: (model: Model) => Promise<AuditEntry>;
  /** Loads and unloads models. */
  readonly memory: ModelMemoryControl;
  readonly models: ModelRegistry;
  /** Applies changes to the models of this process. */
  readonly reload: () => Promise<void>;
}

type ModelAdmin = ReturnType<typeof createModelAdmin>;

/** Loads that may wait at a time. */
const loadsMax = 16;

export function createModelAdmin(deps: ModelAdminDeps) {
  const { settings, memory, reload, removeFiles } = deps;
  let loads = 0;
  return {
    /** Returns the settings that are in effect, by id of the model; times are ms. */
    settings: (): Readonly<Record<string, SettingFields>> => settings.read().settings,
    /**
     * Changes settings of a model; they are in effect when it resolves.
     * @param id of the model, which exists
     * @throws HearthError as `SettingsWriter.update` does; `conflict` for an alias that another model has.
     */
    async update(id: string, change: SettingFields, actor: Actor): Promise<void> {
      refuseTakenAliases(deps, id, change);
      const entry = updateSettings(settings, id, change);
      await deps.writes.commit([auditEntry(deps, actor, entry)]);
      await reload();
    },
    /** Deletes a model that was pulled. Requests that run keep it. @throws HearthError `conflict` for another one. */
    async remove(model: Model, actor: Actor): Promise<void> {
      const entry = await removeFiles(model);
      await deps.writes.commit([auditEntry(deps, actor, entry)]);
      await reload();
    },
    /** Loads a usable model. @throws HearthError `model_unavailable`, `overloaded` while too many loads wait. */
    async load(model: Model, actor: Actor, signal: AbortSignal): Promise<void> {
      if (loads >= loadsMax)
        throw new HearthError("overloaded", "Too many models are being loaded. Please try again later.", {
          retryAfterSeconds: 5,
        });
      loads += 1;
      try {
        await memory.load(model, signal);
      } finally {
        loads -= 1;
      }
      await deps.writes.commit([auditEntry(deps, actor, memoryEntry("LoadModel", model))]);
    },
    /** Unloads a model: at once, or when the last run that uses it has ended. */
    async unload(model: Model, actor: Actor): Promise<void> {
      await deps.writes.commit([auditEntry(deps, actor, memoryEntry("UnloadModel", model))]);
      memory.unload(model.manifest.id);
    },
  };
}

function memoryEntry(action: "LoadModel" | "UnloadModel", { manifest: { id } }: Model): AuditEntry {
  const description = `${action === "LoadModel" ? "Loaded" : "Unloaded"} the model '${id}'`;
  return { action, objectId: id, teamId: null, description, before: null, after: null };
}

/** An alias that only the files of another model suggest is free. @throws HearthError `conflict` that names the alias and the other model */
function refuseTakenAliases({ models, settings }: ModelAdminDeps, id: string, change: SettingFields): void {
  const { aliases } = change;
  if (!Array.isArray(aliases)) return;
  const known = settings.read().settings;
  for (const [at, alias] of aliases.entries()) {
    const other = models.list().find(({ manifest }) => {
      const set = Object.hasOwn(known, manifest.id) ? known[manifest.id]?.["aliases"] : [];
      return manifest.id !== id && (manifest.id === alias || (Array.isArray(set) && set.includes(alias)));
    });
    if (other === undefined) continue;
    const reason = `aliases: '${String(alias)}' belongs to the model '${other.manifest.id}' already.`;
    throw new HearthError("conflict", reason, { param: `aliases.${at}` });
  }
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
