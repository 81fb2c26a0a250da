/** Finds what can follow the words of a command line. Pure: what must be looked up, such as ids of models, is named by its kind. */
import type { Argument, Command, Option } from "commander";

/** A word that can follow. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Values that are looked up; `files` are completed by the shell. */
export type LookedUp =
  "models" | "keys" | "management-keys" | "teams" | "members" | "groups" | "batches" | "uploads" | "files";

type WordsToOffer =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "looked up"; readonly what: LookedUp };

/** What arguments and values of options are, by their names. */
const lookedUp: Readonly<Record<string, LookedUp>> = {
  model: "models",
  team: "teams",
  member: "members",
  file: "files",
  folder: "files",
};

/** What ids are, by the command above. */
const idKinds: Readonly<Record<string, LookedUp>> = {
  keys: "keys",
  "management-keys": "management-keys",
  batches: "batches",
  files: "uploads",
};

const none: WordsToOffer = { kind: "words", candidates: [] };

/**
 * Returns what the last word can become.
 * @param words of the command line after the program's name; the last one is being typed, and may be empty.
 */
export function completeWords(program: Command, words: readonly string[]): WordsToOffer {
  const typed = words.at(-1) ?? "";
  const place = findPlace(program, words.slice(0, -1));
  const all = findCompletion(place, typed);
  if (all.kind === "looked up") return all;
  return { kind: "words", candidates: all.candidates.filter(({ value }) => value.startsWith(typed)) };
}

/** Where a command line has got to. */
interface Place {
  readonly program: Command;
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option: Option | null;
  /** Arguments of the command so far. */
  readonly argumentCount: number;
  /** After `--`, there are no options. */
  readonly isAfterOptions: boolean;
}

function findPlace(program: Command, words: readonly string[]): Place {
  let place: Place = { program, command: program, option: null, argumentCount: 0, isAfterOptions: false };
  for (const word of words) place = { ...place, ...advance(place, word) };
  return place;
}

function advance(place: Place, word: string): Partial<Place> {
  if (place.option !== null) return { option: null };
  if (!place.isAfterOptions && word === "--") return { isAfterOptions: true };
  if (!place.isAfterOptions && word.startsWith("-")) {
    const option = listOptions(place).find(({ long, short }) => word === long || word === short);
    return { option: option !== undefined && (option.required || option.optional) ? option : null };
  }
  const next = visibleCommands(place.command).find(
    (command) => command.name() === word || command.aliases().includes(word),
  );
  if (next !== undefined && place.argumentCount === 0) return { command: next };
  return { argumentCount: place.argumentCount + 1 };
}

function findCompletion(place: Place, typed: string): WordsToOffer {
  const { command, option, argumentCount, isAfterOptions } = place;
  if (option !== null) return completeValues(option.argChoices, readValueName(option), command);
  if (!isAfterOptions && typed.startsWith("-")) return { kind: "words", candidates: listFlags(place) };
  const commands = visibleCommands(command);
  if (commands.length > 0 && argumentCount === 0)
    return {
      kind: "words",
      candidates: commands.map((each) => ({ value: each.name(), description: each.description() })),
    };
  const argument = argumentAt(command, argumentCount);
  return argument === undefined ? none : completeValues(argument.argChoices, argument.name(), command);
}

/** Returns the argument at a place; the last one takes all that follow when it is variadic. */
function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

function completeValues(
  choices: readonly string[] | undefined,
  name: string,
  command: Command,
): WordsToOffer {
  if (choices !== undefined)
    return { kind: "words", candidates: choices.map((value) => ({ value, description: "" })) };
  // A name after `groups` names an existing group, except where one is created.
  if (name === "name" && command.parent?.name() === "groups" && command.name() !== "create")
    return { kind: "looked up", what: "groups" };
  // The ids of keys, batches and files have the same name.
  const what = (name === "id" ? idKinds[command.parent?.name() ?? ""] : lookedUp[name]) ?? null;
  return what === null ? none : { kind: "looked up", what };
}

/** Returns the name of the value in `--team <team>`; `--model <id>` takes a model. */
function readValueName({ flags, long }: Option): string {
  const [, name = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return name === "id" ? (long ?? "").slice(2) : name;
}

function listFlags(place: Place): readonly Candidate[] {
  return listOptions(place).flatMap(({ long, description }) =>
    long == null ? [] : [{ value: long, description }],
  );
}

/** The program's own options are understood after every command. */
function listOptions({ program, command }: Place): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options.filter(({ long }) => long === "--config")];
}

function visibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}
