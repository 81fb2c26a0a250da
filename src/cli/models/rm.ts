/** `hearth rm`: deletes models. */
import type { Command } from "commander";
import type { Config } from "../../config/config.js";
import { HearthError } from "../../core/errors.js";
import type { OperatorModel } from "../../http/management/operator/models.js";
import { forEachReference } from "../command-helpers.js";
import { withQuery } from "../operator.js";
import type { ModelCommands } from "./deps.js";
import { modelsInMemory } from "./in-memory.js";

/** Adds the command. */
export function addRmCommand(program: Command, { using, load, out }: ModelCommands): void {
  program
    .command("rm")
    .alias("delete")
    .description("delete models from the models folder")
    .argument("<model...>", "IDs or aliases")
    .option("--force", "delete also what is in memory, or what adapters are based on")
    .action(async (names: readonly string[], { force }: { force?: true }) => {
      const { config } = await load();
      await using((api) =>
        forEachReference(names, async (name) => {
          const model = await api.get<OperatorModel>("/operator/models", { model: name });
          if (force !== true) await refuseUsed(model, config);
          await api.request("DELETE", withQuery("/operator/models", { model: model.id }));
          out.write(`deleted '${model.id}'\n`);
        }),
      );
    });
}

async function refuseUsed({ id, adapters }: OperatorModel, config: Config): Promise<void> {
  const [adapter] = adapters;
  if (adapter !== undefined)
    throw new HearthError("conflict", `'${id}' is the base of the adapter '${adapter}'; --force deletes it.`);
  if ((await modelsInMemory(config)).some((model) => model.id === id))
    throw new HearthError("conflict", `'${id}' is in the memory of the running server; --force deletes it.`);
}
