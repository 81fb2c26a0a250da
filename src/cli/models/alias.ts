/** `hearth alias`: lists, sets and removes other names of models. */
import type { Command } from "commander";
import type { ModelAlias } from "../../app/app.js";
import { reportInvalidValues } from "../command-helpers.js";
import { formatJson, formatTable } from "../table.js";
import type { ModelCommands } from "./deps.js";

interface Options {
  readonly rm?: string;
  readonly json?: true;
}

/** Adds the command. */
export function addAliasCommand(program: Command, { open, out }: ModelCommands): void {
  program
    .command("alias")
    .description("list the aliases of models, or set one: requests use it as a model's name")
    .argument("[name]", "such as gpt-4o-mini, or a pattern such as gpt-*")
    .argument("[model]", "the ID or an alias of the model")
    .option("--rm <name>", "remove an alias")
    .option("--json", "print one JSON array")
    .action(
      async (name: string | undefined, model: string | undefined, options: Options, command: Command) => {
        if (name !== undefined && (model === undefined || options.rm !== undefined))
          command.error("error: an alias needs a name and a model: hearth alias NAME MODEL", { exitCode: 2 });
        const models = await open();
        if (options.rm !== undefined) {
          const id = await models.removeAlias(options.rm);
          out.write(`${options.rm} no longer leads to ${id}\n`);
        } else if (name !== undefined && model !== undefined) {
          const found = models.resolve(model);
          const before = models.aliases().find(({ alias }) => alias === name)?.model ?? found.manifest.id;
          await reportInvalidValues(command, () => models.setAlias(name, found));
          const moved = before === found.manifest.id ? "" : `, and no longer to ${before}`;
          out.write(`${name} leads to ${found.manifest.id}${moved}\n`);
        } else out.write(options.json === true ? formatJson(models.aliases()) : toTable(models.aliases()));
      },
    );
}

function toTable(aliases: readonly ModelAlias[]): string {
  const rows = aliases.map(({ alias, model, source }) => [alias, model, source]);
  return formatTable(["ALIAS", "MODEL", "SET BY"], rows);
}
