/** Adds the commands that manage models, with or without a running server, which sees what they change by itself. */
import type { Command } from "commander";
import { addAliasCommand } from "./alias.js";
import type { ModelCommands } from "./deps.js";
import { addFitCommand } from "./fit.js";
import { addImportCommand } from "./import.js";
import { addLsCommand } from "./ls.js";
import { addChargedPricesCommands } from "./prices.js";
import { addRmCommand } from "./rm.js";
import { addSetCommand } from "./set.js";
import { addShowCommand } from "./show.js";

/** Adds `ls`, `show`, `rm`, `alias`, `set`, `prices set`, `prices ls`, `fit` and `import`. */
export function addModelCommands(program: Command, commands: ModelCommands): void {
  addLsCommand(program, commands);
  addShowCommand(program, commands);
  addRmCommand(program, commands);
  addAliasCommand(program, commands);
  addSetCommand(program, commands);
  addChargedPricesCommands(program, commands);
  addFitCommand(program, commands);
  addImportCommand(program, commands);
}
