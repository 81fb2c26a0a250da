/** Looks up the names that can follow the words of a command line, in the models and the database of this machine. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { databaseFile } from "../../store/data-folder.js";
import type { OpenAccounts, OperatorModels } from "../../app/app.js";
import type { LoadedConfig } from "../../config/config.js";
import { complete, type Candidate, type LookedUp } from "./complete.js";
import { filesLine } from "./scripts.js";

/** A shell shows no more of them at once. */
const candidatesMax = 200;

export interface CompletionIo {
  readonly out: { write(text: string): unknown };
  readonly load: () => Promise<LoadedConfig>;
  readonly openModels: () => Promise<Pick<OperatorModels, "list" | "aliases">>;
  readonly openAccounts: () => Promise<OpenAccounts>;
}

/** Prints a candidate a line, with its description after a tab. Nothing where something is wrong: a shell shows no errors. */
export async function printCandidates(
  program: Command,
  words: readonly string[],
  io: CompletionIo,
): Promise<void> {
  const completion = complete(program, words);
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
  const accounts = await io.openAccounts();
  try {
    return await namesInAccounts(what, accounts);
  } finally {
    await accounts.close();
  }
}

async function idsOnServer(
  what: "batches" | "uploads",
  { load }: CompletionIo,
): Promise<readonly Candidate[]> {
  const { findServer } = await import("../server/running-server.js");
  const server = await findServer((await load()).config);
  if (server === null) return [];
  if (what === "batches") {
    const { listBatches } = await import("../batches/remote-batches.js");
    const batches = await listBatches(server, candidatesMax);
    return batches.map(({ id, status }) => ({ value: id, description: status }));
  }
  const { listFiles } = await import("../batches/transfer.js");
  const files = await listFiles(server, candidatesMax);
  return files.map(({ id, filename }) => ({ value: id, description: filename }));
}

function namesOfModels(models: Pick<OperatorModels, "list" | "aliases">): readonly Candidate[] {
  const ids = models
    .list()
    .map(({ manifest }) => ({ value: manifest.id, description: `${manifest.kind} model` }));
  const aliases = models.aliases().filter(({ alias }) => !alias.includes("*"));
  return [...ids, ...aliases.map(({ alias, model }) => ({ value: alias, description: `alias of ${model}` }))];
}

async function namesInAccounts(
  what: "keys" | "management-keys" | "teams" | "members" | "groups",
  { keys, managementKeys, teams, members, accessGroups, actor }: OpenAccounts,
): Promise<readonly Candidate[]> {
  if (what === "keys")
    return (await keys.list()).map(({ key }) => ({ value: key.id, description: key.name }));
  if (what === "management-keys")
    return (await managementKeys.list()).map(({ id, name }) => ({ value: id, description: name }));
  if (what === "teams")
    return (await teams.list(actor)).map(({ name, billing }) => ({ value: name, description: billing }));
  if (what === "groups")
    return (await accessGroups.list()).map(({ name, description }) => ({ value: name, description }));
  return (await members.list()).map(({ email, role }) => ({ value: email, description: role }));
}
