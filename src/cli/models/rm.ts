/** `hearth rm`: deletes models. */
import type { Command } from "commander";
import type { OperatorModels } from "../../app/app.js";
import type { Config } from "../../config/config.js";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import { forEachReference } from "../command-helpers.js";
import type { ModelCommands } from "./deps.js";
import { modelsInMemory } from "./in-memory.js";

/** Adds the command. */
export function addRmCommand(program: Command, { open, load, out }: ModelCommands): void {
  program
    .command("rm")
    .description("delete models from the models folder")
    .argument("<model...>", "IDs or aliases")
    .option("--force", "delete also what is in memory, or what adapters are based on")
    .action(async (names: readonly string[], { force }: { force?: true }) => {
      const models = await open();
      const { config } = await load();
      await forEachReference(names, async (name) => {
        const model = models.resolve(name);
        if (force !== true) await refuseUsed(models, model, config);
        await models.remove(model);
        out.write(`deleted '${model.manifest.id}'\n`);
      });
    });
}

async function refuseUsed(models: OperatorModels, { manifest }: Model, config: Config): Promise<void> {
  const { id } = manifest;
  const [adapter] = models.listAdapters(id);
  if (adapter !== undefined)
    throw new HearthError("conflict", `'${id}' is the base of the adapter '${adapter}'; --force deletes it.`);
  if ((await modelsInMemory(config)).some((model) => model.id === id))
    throw new HearthError("conflict", `'${id}' is in the memory of the running server; --force deletes it.`);
}
