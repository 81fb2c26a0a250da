/** Where other programs keep their models. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A folder for each program; the first that exists, else the usual one. */
export interface ImportFolders {
  readonly ollama: string;
  readonly lmstudio: string;
  readonly hf: string;
}

/**
 * @param environment of the process: OLLAMA_MODELS, HF_HUB_CACHE, HF_HOME and XDG_CACHE_HOME name other folders.
 * @param home folder of the user
 */
export function importFolders(environment: NodeJS.ProcessEnv, home: string): ImportFolders {
  const named = (name: string, ...rest: readonly string[]): readonly string[] => {
    const folder = environment[name];
    return folder === undefined || folder === "" ? [] : [join(folder, ...rest)];
  };
  return {
    // The installer's service on Linux uses the second one.
    ollama: first([
      ...named("OLLAMA_MODELS"),
      join(home, ".ollama", "models"),
      "/usr/share/ollama/.ollama/models",
    ]),
    lmstudio: first([join(home, ".lmstudio", "models"), join(home, ".cache", "lm-studio", "models")]),
    hf: first([
      ...named("HF_HUB_CACHE"),
      ...named("HF_HOME", "hub"),
      ...named("XDG_CACHE_HOME", "huggingface", "hub"),
      join(home, ".cache", "huggingface", "hub"),
    ]),
  };
}

function first(folders: readonly string[]): string {
  return folders.find((folder) => existsSync(folder)) ?? folders[0] ?? "";
}
