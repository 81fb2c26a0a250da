/** The manual page, hearth(1): made from the commands, so that it has all of them. The build writes it to dist/man/hearth.1. */
import type { Command } from "commander";
import { version } from "../system/version.js";
import type { TextOut } from "./terminal.js";

/** Adds the hidden command that prints the page. `hearth man | man -l -` shows it in a checkout. */
export function addManCommand(program: Command, out: TextOut): void {
  program
    .command("man", { hidden: true })
    .description("print the manual page")
    .action(() => void out.write(renderManPage(program)));
}

/** Returns the page in the language of man(7). */
export function renderManPage(program: Command): string {
  const name = program.name();
  return [
    `.TH ${escapeRoff(name.toUpperCase())} 1 "" "Hearth ${version}" "User Commands"`,
    ".SH NAME",
    `${escapeRoff(name)} \\- a local, self\\-hosted model server`,
    ".SH SYNOPSIS",
    `.B ${escapeRoff(name)}`,
    escapeRoff("[--config FILE] COMMAND [OPTIONS] [ARGUMENTS]"),
    ".SH DESCRIPTION",
    escapeRoff(program.description()),
    ".SH OPTIONS",
    ...describeOptions(program),
    ".SH COMMANDS",
    ...listLeaves(program).flatMap((command) => describeCommand(command)),
    ...endOfPage,
    "",
  ].join("\n");
}

const endOfPage = [
  ".SH EXIT STATUS",
  "0 done, 1 failed, 2 wrong usage.",
  ".SH FILES",
  ".TP",
  ".I hearth.yaml",
  "Settings, in the working directory or where \\-\\-config says.",
  ".SH ENVIRONMENT",
  ".TP",
  ".I HEARTH_*",
  "Each setting; it wins over the file. hearth doctor prints all settings and where each was read.",
];

/** Returns the commands that do something, in the order of the help, below the groups that have them. */
function listLeaves(command: Command): readonly Command[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== "help");
  return below.flatMap((each) => {
    const own = listLeaves(each);
    return own.length === 0 || each.registeredArguments.length > 0 ? [each, ...own] : own;
  });
}

function describeCommand(command: Command): readonly string[] {
  const help = command.createHelp();
  const other = command.aliases().map((alias) => escapeRoff(alias));
  return [
    `.SS ${escapeRoff(help.commandUsage(command))}`,
    escapeRoff(command.description()),
    ...(other.length > 0 ? [".br", `Other names: ${other.join(", ")}.`] : []),
    ...command.registeredArguments
      .filter(({ description }) => description !== "")
      .flatMap((argument) => [
        ".TP",
        `.I ${escapeRoff(help.argumentTerm(argument))}`,
        escapeRoff(help.argumentDescription(argument)),
      ]),
    ...describeOptions(command),
  ];
}

function describeOptions(command: Command): readonly string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .flatMap((option) => [
      ".TP",
      `.B ${escapeRoff(help.optionTerm(option))}`,
      escapeRoff(help.optionDescription(option)),
    ]);
}

/** Escapes what the language reads as a command: backslashes, hyphens, and a point or an apostrophe at the beginning. */
function escapeRoff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&")
    .replace(/\s*\n\s*/g, "\n.br\n");
}
