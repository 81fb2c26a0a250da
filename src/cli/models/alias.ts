/** `hearth alias`: lists, sets and removes other names of models. */
import type { Command } from "commander";
import type { ModelAlias } from "../../models/admin/setting-sources.js";
import { reportInvalidValues } from "../command-helpers.js";
import { withQuery } from "../operator.js";
import { formatJson, formatTable } from "../table.js";
import type { ModelCommands } from "./deps.js";

interface Options {
  readonly rm?: string;
  readonly json?: true;
}

export const aliasesPath = "/operator/model-aliases";

interface SetAlias {
  readonly model: string;
  readonly before: string | null;
}

/** Adds the command. */
export function addAliasCommand(program: Command, { open, using, out }: ModelCommands): void {
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
        if (options.rm !== undefined) {
          const path = withQuery(aliasesPath, { alias: options.rm });
          const removed = await using((api) => api.request<{ readonly model: string }>("DELETE", path));
          out.write(`${options.rm} no longer leads to ${removed.model}\n`);
        } else if (name !== undefined && model !== undefined) {
          const set = await reportInvalidValues(command, () =>
            using((api) => api.request<SetAlias>("PUT", aliasesPath, { alias: name, model })),
          );
          const isMoved = set.before !== null && set.before !== set.model;
          out.write(`${name} leads to ${set.model}${isMoved ? `, and no longer to ${set.before}` : ""}\n`);
        } else {
          const aliases = (await open()).sources.aliases();
          out.write(options.json === true ? formatJson(aliases) : toTable(aliases));
        }
      },
    );
}

function toTable(aliases: readonly ModelAlias[]): string {
  const rows = aliases.map(({ alias, model, source }) => [alias, model, source]);
  return formatTable(["ALIAS", "MODEL", "SET BY"], rows);
}
