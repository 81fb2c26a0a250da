/** The commands that the documents name, against the commands that there are. */
import type { Argument, Command } from "commander";
import { describe, expect, it } from "vitest";
import { commandTree } from "../kit/command-tree.js";
import { userDocuments, writtenCommandsOf } from "./documents.js";

const program = commandTree();
/** What begins like a command and is a message. */
const messages = new Set(["hearth restore was interrupted in this folder"]);
const documents = userDocuments().map(
  ({ path, text }) => [path, writtenCommandsOf(text).filter((written) => !messages.has(written))] as const,
);

describe("the commands of the documents", () => {
  it("are many", () => {
    expect(documents.flatMap(([, commands]) => commands).length).toBeGreaterThan(200);
  });

  it.each(documents)("%s: every command exists, with its options, and takes its arguments", (_, commands) => {
    expect(commands.flatMap((command) => findProblem(command) ?? [])).toEqual([]);
  });
});

describe("the check of commands", () => {
  it.each([
    ["hearth keys create --name x", null],
    ["hearth run gemma3 what is this", null],
    ["hearth keys make", /no command 'make'/],
    ["hearth keys create --nmae x", /no option '--nmae'/],
    ["hearth requests --query ada", null],
    ["hearth backup a b", /takes fewer arguments/],
  ])("says of `%s`: %s", (command, problem) => {
    if (problem === null) expect(findProblem(command)).toBeNull();
    else expect(findProblem(command)).toMatch(problem);
  });
});

/** Returns what is wrong with a written command; null: nothing. A command that is named without arguments and options may lack them. */
function findProblem(written: string): string | null {
  const words = splitWords(written).slice(1);
  let command: Command = program;
  for (let [word] = words; word !== undefined; [word] = words) {
    const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (found === undefined) break;
    command = found;
    words.shift();
  }
  const [first] = words;
  const usual = command.commands.find((each) => each.name() === defaultCommandName(command));
  if (usual !== undefined) return findOptionProblem(written, usual, words);
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (isGroup && first !== undefined && !first.startsWith("-")) return `${written}: no command '${first}'`;
  return findOptionProblem(written, command, words);
}

/** The command of a group that is meant where none is named, which the library does not publish. */
function defaultCommandName(group: Command): string | null {
  return (group as unknown as { readonly _defaultCommandName?: string | null })._defaultCommandName ?? null;
}

function findOptionProblem(written: string, command: Command, words: readonly string[]): string | null {
  const values: string[] = [];
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!/^--?[a-z]/.test(word)) {
      values.push(word);
      continue;
    }
    const [name = ""] = word.split("=");
    const option = [...command.options, ...program.options].find(
      ({ long, short }) => long === name || short === name,
    );
    if (option === undefined && name !== "--help") return `${written}: no option '${name}'`;
    if (option !== undefined && option.flags.includes("<") && !word.includes("=")) left.shift();
  }
  return findArgumentProblem(written, command.registeredArguments, values);
}

function findArgumentProblem(
  written: string,
  expected: readonly Argument[],
  values: readonly string[],
): string | null {
  const isVariadic = expected.at(-1)?.variadic === true;
  if (!isVariadic && values.length > expected.length) return `${written}: takes fewer arguments`;
  return null;
}

/** Splits a command into words as a shell does, without what a redirection, a pipe or a comment adds. */
function splitWords(written: string): string[] {
  const [command = ""] = written.split(/\s(?:[|>#]|&&|2>)/);
  return [...command.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word.replace(/^(["'])(.*)\1$/, "$2"));
}
