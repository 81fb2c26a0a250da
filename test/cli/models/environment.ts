/** Runs the commands that manage models on real files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { openLocalModels } from "../../../src/app/models/models.js";
import { openModelOperator } from "../../../src/app/operator/open.js";
import { operatorOpener } from "../../../src/cli/command-helpers.js";
import { addModelCommands } from "../../../src/cli/models/commands.js";
import { loadConfig } from "../../../src/config/config.js";
import { modelBytes, type ModelSpec } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { createManualClock } from "../../kit/manual-clock.js";

const bandwidthWorkerUrl = new URL("../../../dist/models/fit/worker.js", import.meta.url);

/** @param more HEARTH_* variables besides the folders. */
export function commandEnvironment(more: NodeJS.ProcessEnv = {}) {
  const folder = temporaryFolder();
  const models = join(folder, "models");
  mkdirSync(models);
  const environment = {
    HEARTH_MODELS: models,
    HEARTH_DATA: join(folder, "data"),
    HEARTH_PORT: "0",
    HEARTH_GPU: "off",
    ...more,
  };
  const load = () => Promise.resolve(loadConfig(environment, null));
  const clock = createManualClock(Date.UTC(2026, 10, 21, 12));
  let printed = "";
  let exitCode: number | string | null | undefined;
  /** Runs `hearth` with these arguments and returns its output. */
  const hearth = async (...words: string[]): Promise<string> => {
    printed = "";
    const before = process.exitCode;
    const program = new Command("hearth").exitOverride().configureOutput({ writeErr: () => undefined });
    addModelCommands(program, {
      open: () => openLocalModels(loadConfig(environment, null).config),
      using: operatorOpener(() => openModelOperator(loadConfig(environment, null).config)),
      load,
      bandwidthWorkerUrl,
      folders: {
        ollama: join(folder, "ollama"),
        lmstudio: join(folder, "lmstudio"),
        hf: join(folder, "hf"),
      },
      clock,
      out: { write: (text) => (printed += text) },
      err: { write: () => true },
      onInterrupt: () => () => undefined,
    });
    try {
      await program.parseAsync(words, { from: "user" });
    } finally {
      exitCode = process.exitCode;
      process.exitCode = before;
    }
    return printed;
  };
  return {
    folder,
    models,
    environment,
    hearth,
    /** The exit code that the last command set. */
    exitCode: () => exitCode ?? 0,
    /** Runs `hearth` with these arguments and returns its output as JSON. */
    json: async <Value>(...words: string[]): Promise<Value> =>
      JSON.parse(await hearth(...words, "--json")) as Value,
    /** Writes a small GGUF model; @returns its path. */
    gguf: (path: string, changes: Partial<ModelSpec> = {}): string =>
      write(join(folder, path), modelBytes(changes)),
    write: (path: string, content: string | Buffer): string => write(join(folder, path), content),
  };
}

function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
