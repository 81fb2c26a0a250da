import type { Command } from "commander";

/** Returns the command `prices`, which the commands of models and of accounts share. */
export function pricesCommand(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === "prices") ??
    program.command("prices").description("set and list the prices of models")
  );
}
