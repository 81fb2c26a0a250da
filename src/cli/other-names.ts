/** Commands as other programs call them: an error names the command of Hearth. */
import type { Command } from "commander";

const otherNames: Readonly<Record<string, string>> = {
  serve: "start",
  up: "start",
  models: "ls",
  remove: "rm",
  status: "ps",
  top: "ps",
  chat: "run",
  download: "pull",
  install: "pull",
  info: "show",
  inspect: "show",
  config: "set",
  link: "import",
};

/** Makes the other names wrong usage with a suggestion. Call it after all commands were added: their own names are left alone. */
export function addOtherNames(program: Command): void {
  for (const [other, name] of Object.entries(otherNames)) {
    const known = new Set(program.commands.map((command) => command.name()));
    if (known.has(other) || !known.has(name)) continue;
    program
      .command(other, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .helpOption(false)
      .action(() =>
        program.error(`error: unknown command '${other}'\n(Did you mean ${name}?)`, { exitCode: 2 }),
      );
  }
}
