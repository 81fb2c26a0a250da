/** Applies changes of model files and of settings of models while the server runs. */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { Model } from "../core/model.js";
import type { LoadedRegistry } from "./registry.js";
import { signatureOfFile, signatureOfFolders, watchFiles, type WatchOptions } from "./folders/watch.js";

/** The files on which the models depend. */
export interface WatchedFiles {
  readonly folders: readonly string[];
  /** The configuration file; null: there is none. */
  readonly file: string | null;
  /** The settings that commands and the management API write. */
  readonly settings: string;
  /** Whether the settings are in a folder that several servers share. */
  readonly isShared: boolean;
}

/** Texts that change with the folders and files on which the models depend. */
export interface Signatures {
  readonly folders: string;
  /** The settings of the configuration file. */
  readonly file: string;
  /** The settings that commands and the management API write. */
  readonly settings: string;
}

export async function readSignatures({ folders, file, settings }: WatchedFiles): Promise<Signatures> {
  return {
    folders: await signatureOfFolders(folders),
    file: await signFile(file),
    settings: await signatureOfFile(settings),
  };
}

async function signFile(file: string | null): Promise<string> {
  return file === null ? "" : signatureOfFile(file);
}

/** A file that is copied is found after two looks that agree. */
const folderPauseMs = 2000;
/** Looking at slow folders takes at most a twentieth of the time. */
const folderPauseFactor = 20;
const filePauseMs = 1500;
/** What commands have written is whole. Requests look by themselves; jobs, and servers that share a folder, have it after one look. */
const settingsPauseMs = 1000;

interface UpkeepDeps {
  /** null where the models are given: nothing changes then. */
  readonly registry: LoadedRegistry | null;
  readonly watchedFiles: WatchedFiles;
  /** Reads the settings in the configuration file again. @returns what is wrong with it, so that the former settings still hold; null if nothing is */
  readonly reloadConfigured: () => string | null;
  /** The signatures of the watched files, from before the registry read them. */
  readonly since: Signatures;
  /** Checks the models in the background. @returns a function that ends it */
  readonly startChecks: (registry: LoadedRegistry) => () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Builds what a running server does about its models. */
export function createModelUpkeep(deps: UpkeepDeps) {
  const { registry, watchedFiles: files, since, clock, logger } = deps;
  if (registry === null)
    return { start: () => undefined, reload: nothing, applySettings: nothing, stop: () => undefined };
  const changes = createChanges(registry, deps);
  const quietly = (action: () => Promise<void>) => (): Promise<void> =>
    action().catch((err: unknown) => logger.error({ err }, "a change of the models could not be applied"));
  const applySettings = followSettings(files.settings, since.settings, quietly(changes.refreshSettings));
  const watch = (watched: Omit<WatchOptions, "clock" | "onChange">): (() => void) =>
    watchFiles({ ...watched, clock, onChange: quietly(changes.reload) });
  const ofFolders = { since: since.folders, pauseMsMin: folderPauseMs, pauseFactor: folderPauseFactor };
  const ofFile = { since: since.file, pauseMsMin: filePauseMs, pauseFactor: 0 };
  let stops: readonly (() => void)[] = [];
  return {
    /** Applies what has changed now. Requests that run keep the model that they began with. */
    reload: changes.reload,
    /**
     * Applies the settings that commands have written, where they have changed since they were read. Requests wait for it. A shared
     * folder can be on another machine, which must not hold them: what is written there is found once a second. Never rejects.
     */
    applySettings: files.isShared ? nothing : applySettings,
    /** Begins to check the models and to watch their files. */
    start(): void {
      changes.startChecks();
      stops = [
        watch({ ...ofFolders, signature: () => signatureOfFolders(files.folders) }),
        watch({ ...ofFile, signature: () => signFile(files.file) }),
        repeat(applySettings, clock),
      ];
    },
    stop(): void {
      changes.stopChecks();
      for (const stop of stops) stop();
    },
  };
}

/** Returns what applies changes to the registry. */
function createChanges(
  registry: LoadedRegistry,
  { reloadConfigured, startChecks: check, logger }: UpkeepDeps,
) {
  let stopChecks = (): void => undefined;
  const startChecks = (): void => {
    stopChecks();
    stopChecks = check(registry);
  };
  const apply = async (refresh: () => Promise<void>): Promise<void> => {
    const before = registry.list();
    await refresh();
    report(before, registry, logger);
    startChecks();
  };
  return {
    startChecks,
    stopChecks: () => stopChecks(),
    refreshSettings: () => apply(() => registry.refreshSettings()),
    reload: async (): Promise<void> => {
      const problem = reloadConfigured();
      if (problem !== null)
        logger.error(
          { problem },
          "the configuration file cannot be used; its former settings of models still hold",
        );
      await apply(() => registry.refresh());
    },
  };
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

/** Returns what applies settings that have changed. @param refresh reads them. It never rejects. */
function followSettings(file: string, since: string, refresh: () => Promise<void>): () => Promise<void> {
  let applied = since;
  let applying: Promise<void> = Promise.resolve();
  const applyOne = async (): Promise<void> => {
    // From before they are read: what is written meanwhile is another change.
    const now = await signatureOfFile(file);
    if (now === applied) return;
    await refresh();
    applied = now;
  };
  return async () => {
    if ((await signatureOfFile(file)) !== applied) await (applying = applying.then(applyOne));
  };
}

/** Runs an action again and again, a pause after its end. @returns a function that ends this */
function repeat(action: () => Promise<void>, clock: Clock): () => void {
  let isStopped = false;
  let cancel = (): void => undefined;
  const wait = (): void => {
    if (isStopped) return;
    cancel = clock.after(settingsPauseMs, () => void action().then(wait));
  };
  wait();
  return () => {
    isStopped = true;
    cancel();
  };
}

function report(before: readonly Model[], registry: LoadedRegistry, logger: Logger): void {
  const old = new Map(before.map((model) => [model.manifest.id, model]));
  const now = new Map(registry.list().map((model) => [model.manifest.id, model]));
  for (const [id, model] of now) {
    const former = old.get(id);
    if (isDeepStrictEqual(former, model)) continue;
    const fields = { model: id, reason: model.unusable ?? undefined };
    logger.info(fields, former === undefined ? "a model was added" : "a model was changed");
  }
  for (const id of old.keys()) if (!now.has(id)) logger.info({ model: id }, "a model was removed");
  for (const warning of registry.warnings) logger.warn({ warning }, "models folder");
}
