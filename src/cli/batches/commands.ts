/** What the commands of batches and files share. They speak to the running server, with its first or configured API key. */
import { InvalidArgumentError, type Command } from "commander";
import type { LoadedConfig } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import type { OnProgress } from "../../core/report/progress.js";
import { createProgressWriter } from "../progress.js";
import type { ChatServer } from "../server/client.js";
import { withListing, type Printed } from "../listing.js";
import { requireServer } from "../server/running-server.js";

export interface RequestsIo extends Printed {
  readonly load: () => Promise<LoadedConfig>;
  readonly clock: Clock;
  /** For contents of files, which are exact where it is no terminal. */
  readonly content: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const listMax = 10_000;

/** Returns the running server. @throws Error if there is none. */
export async function findRunningServer({ load }: RequestsIo): Promise<ChatServer> {
  return requireServer((await load()).config);
}

/** Adds the options of a listing. */
export function withListOptions(command: Command, what: string): Command {
  return withListing(command.option("--limit <n>", `maximum number of ${what}`, limitArgument, 50));
}

/** Adds the options of a command that prints the content of a file. */
export function withOutputOptions(command: Command): Command {
  return command
    .option("--out <file>", "write into this file instead of standard output")
    .option("--force", "replace the file if it exists")
    .option("-q, --quiet", "show no progress");
}

function limitArgument(written: string): number {
  const limit = /^\d{1,5}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > listMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${listMax}.`);
  return limit;
}

/** Runs what sends or writes files, and shows its progress. Ctrl-C ends the command: a part of an upload is dropped by the server. */
export function withTransfer<Result>(
  { err, clock }: RequestsIo,
  isQuiet: boolean | undefined,
  action: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> {
  const writer = createProgressWriter(err, { isQuiet: isQuiet === true, clock });
  return action(writer.show).finally(writer.clear);
}
