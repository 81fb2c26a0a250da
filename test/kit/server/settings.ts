/** Settings that every server of a test has. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder, type Finished } from "../folder.js";

/** The API key that the configuration of a test's server pins. */
export const testKey = "test-key-of-sixteen-characters";
/** The management key that the configuration of a managed server pins. */
export const pinnedManagementKey = "test-management-key-of-the-operator";
export const builtInModel = "hearth-tiny-5m";

/** Returns HEARTH_* variables: a free port, a new data folder, and the pinned key. */
export function createUsualSettings(finished: Finished = onTestFinished): NodeJS.ProcessEnv {
  const data = join(temporaryFolder(finished), "data");
  return { HEARTH_PORT: "0", HEARTH_DATA: data, HEARTH_API_KEY: testKey };
}

/** Writes a configuration file with settings of models. @returns its path. */
export function writeModelSettings(folder: string, settings: Readonly<Record<string, object>>): string {
  const path = join(folder, "hearth.yaml");
  writeFileSync(path, stringify({ models: settings }));
  return path;
}
