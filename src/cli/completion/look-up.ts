/** Looks up the names that can follow the words of a command line, in the models and the database of this machine. */
import { existsSync } from "node:fs";
import type { Command, Argument, Option } from "commander";
import { databaseFile } from "../../store/data-folder.js";
import type { LocalModels } from "../../app/models/models.js";
import type { Operator } from "../../app/operator/open.js";
import type { LoadedConfig } from "../../config/config.js";
import { operatorOpener } from "../command-helpers.js";
import { filesLine } from "./scripts.js";

/** A shell shows no more of them at once. */
const candidatesMax = 200;

export interface CompletionIo {
  readonly out: { write(text: string): unknown };
  readonly load: () => Promise<LoadedConfig>;
  readonly openModels: () => Promise<LocalModels>;
  readonly openOperator: () => Promise<Operator>;
}

/** Prints a candidate a line, with its description after a tab. Nothing where something is wrong: a shell shows no errors. */
export async function printCandidates(
  program: Command,
  words: readonly string[],
  io: CompletionIo,
): Promise<void> {
  const completion = completeWords(program, words);
  if (completion.kind === "words") return print(completion.candidates, io);
  if (completion.what === "files") return void io.out.write(`${filesLine}\n`);
  const file = words[words.indexOf("--config") + 1];
  if (words.includes("--config")) program.setOptionValue("config", file);
  const typed = words.at(-1) ?? "";
  const found = await lookUp(completion.what, io).catch(() => []);
  print(
    found.filter(({ value }) => value.startsWith(typed)),
    io,
  );
}

function print(candidates: readonly Candidate[], { out }: CompletionIo): void {
  for (const { value, description } of candidates.slice(0, candidatesMax))
    out.write(`${oneLine(value)}\t${oneLine(description)}\n`);
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

async function lookUp(what: Exclude<LookedUp, "files">, io: CompletionIo): Promise<readonly Candidate[]> {
  if (what === "models") return namesOfModels(await io.openModels());
  if (what === "batches" || what === "uploads") return idsOnServer(what, io);
  // To complete a word must not create a database.
  const { config } = await io.load();
  if (config.databaseUrl === null && !existsSync(databaseFile(config))) return [];
  return operatorOpener(io.openOperator)(async (api) => {
    const { path, field, value, description } = accountLists[what];
    const all = await api.list<Readonly<Record<string, string>>>(path, field);
    return all.map((each) => ({ value: each[value] ?? "", description: each[description] ?? "" }));
  });
}

async function idsOnServer(
  what: "batches" | "uploads",
  { load }: CompletionIo,
): Promise<readonly Candidate[]> {
  const { findServer } = await import("../server/running-server.js");
  const server = await findServer((await load()).config);
  if (server === null) return [];
  if (what === "batches") {
    const { listNewestBatches } = await import("../batches/remote-batches.js");
    const batches = await listNewestBatches(server, candidatesMax);
    return batches.map(({ id, status }) => ({ value: id, description: status }));
  }
  const { listNewestFiles } = await import("../batches/transfer.js");
  const files = await listNewestFiles(server, candidatesMax);
  return files.map(({ id, filename }) => ({ value: id, description: filename }));
}

function namesOfModels({ models, sources }: LocalModels): readonly Candidate[] {
  const ids = models
    .list()
    .map(({ manifest }) => ({ value: manifest.id, description: `${manifest.kind} model` }));
  const aliases = sources.aliases().filter(({ alias }) => !alias.includes("*"));
  return [...ids, ...aliases.map(({ alias, model }) => ({ value: alias, description: `alias of ${model}` }))];
}

/** Where the names of accounts are listed, and the fields of a candidate. */
const accountLists = {
  keys: { path: "/operator/api-keys", field: "apiKeys", value: "apiKeyId", description: "name" },
  "management-keys": {
    path: "/operator/management-keys",
    field: "managementKeys",
    value: "apiKeyId",
    description: "name",
  },
  teams: { path: "/auth/teams", field: "teams", value: "name", description: "billing" },
  groups: {
    path: "/auth/access-groups",
    field: "accessGroups",
    value: "name",
    description: "description",
  },
  members: { path: "/operator/members", field: "members", value: "email", description: "role" },
} as const;

// Finds what can follow the words of a command line. Pure: what must be looked up, such as ids of models, is named by its kind.

/** A word that can follow. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Values that are looked up; `files` are completed by the shell. */
type LookedUp =
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
function completeWords(program: Command, words: readonly string[]): WordsToOffer {
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
