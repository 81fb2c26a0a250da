/** `hearth alias`: lists, sets and removes other names of models. */
import type { Command } from "commander";
import type { ModelAlias } from "../../models/admin/setting-sources.js";
import { reportInvalidValues } from "../command-helpers.js";
import { withQuery } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import type { ModelCommands } from "./deps.js";

interface Options extends ListingOptions {
  readonly rm?: string;
}

export const aliasesPath = "/operator/model-aliases";

interface SetAlias {
  readonly model: string;
  readonly before: string | null;
}

/** Adds the command. */
export function addAliasCommand(program: Command, { open, using, ...io }: ModelCommands): void {
  const { out } = io;
  withListing(program.command("alias"))
    .description("list the aliases of models, or set one: requests use it as a model's name")
    .argument("[name]", "such as gpt-4o-mini, or a pattern such as gpt-*")
    .argument("[model]", "the ID or an alias of the model")
    .option("--rm <name>", "remove an alias")
    .action(
      async (name: string | undefined, model: string | undefined, options: Options, command: Command) => {
        if (name !== undefined && (model === undefined || options.rm !== undefined))
          command.error("error: an alias needs a name and a model: hearth alias NAME MODEL", { exitCode: 2 });
        if (options.rm !== undefined) {
          const path = withQuery(aliasesPath, { alias: options.rm });
          const removed = await using((api) => api.request<{ readonly model: string }>("DELETE", path));
          if (options.quiet !== true) out.write(`${options.rm} no longer leads to ${removed.model}\n`);
        } else if (name !== undefined && model !== undefined) {
          const set = await reportInvalidValues(command, () =>
            using((api) => api.request<SetAlias>("PUT", aliasesPath, { alias: name, model })),
          );
          const isMoved = set.before !== null && set.before !== set.model;
          if (options.quiet !== true)
            out.write(`${name} leads to ${set.model}${isMoved ? `, and no longer to ${set.before}` : ""}\n`);
        } else {
          const items = (await open()).sources.aliases();
          printListing(io, options, {
            items,
            columns,
            empty: "No aliases. Make one: hearth alias NAME MODEL",
          });
        }
      },
    );
}

const columns: readonly TableColumn<ModelAlias>[] = [
  { title: "ALIAS", cell: ({ alias }) => alias, charsMin: 16 },
  { title: "MODEL", cell: ({ model }) => model, charsMin: 16 },
  { title: "SET BY", cell: ({ source }) => source, charsMin: 12 },
];
