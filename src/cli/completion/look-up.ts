/** Looks up the names that can follow the words of a command line, in the models and the database of this machine. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { databaseFile } from "../../store/data-folder.js";
import type { LocalModels } from "../../app/models/models.js";
import type { Operator } from "../../app/operator/open.js";
import type { LoadedConfig } from "../../config/config.js";
import { operatorOpener } from "../command-helpers.js";
import { completeWords, type Candidate, type LookedUp } from "./complete.js";
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
