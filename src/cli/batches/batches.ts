/** `hearth batches`: creates, lists, shows and cancels batches of the key's team, and prints their results. */
import { printMade, type MadeOptions } from "../made.js";
import type { Command } from "commander";
import { ago } from "../duration.js";
import type { ChatServer } from "../server/client.js";
import { printListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  findRunningServer,
  withListOptions,
  withOutputOptions,
  withTransfer,
  type RequestsIo,
} from "./commands.js";
import type { WireBatch } from "../../http/inference/batches/present-openai.js";
import type { ContentTarget } from "./transfer.js";

/** Adds `batches` and its subcommands; they fail if no server is running. */
export function addBatchesCommand(program: Command, io: RequestsIo): void {
  const batches = program
    .command("batches")
    .description("create, list, show and cancel batches, and print their results");
  addCreateCommand(batches, io);
  withListOptions(batches.command("ls").alias("list"), "batches")
    .description("list the batches, the newest first")
    .action(async ({ limit, ...options }: ListingOptions & { limit: number }) => {
      const { listNewestBatches } = await import("./remote-batches.js");
      const all = await listNewestBatches(await findRunningServer(io), limit);
      printListing(io, options, {
        items: all,
        columns: listColumns(io.clock.now()),
        empty: "No batches. Make one: hearth batches create FILE",
      });
    });
  addForOne(batches, "show", "show the state of a batch", io, async (server, id) =>
    (await import("./remote-batches.js")).findBatch(server, id),
  );
  const cancelled = "end a batch early; what is in progress is still answered";
  addForOne(batches, "cancel", cancelled, io, async (server, id) =>
    (await import("./remote-batches.js")).endBatch(server, id),
  );
  withOutputOptions(batches.command("results"))
    .description(
      "print the answers of a batch that has ended, and its errors after them, a JSON object a line",
    )
    .argument("<id>", "ID or its beginning, as `hearth batches ls` shows it")
    .action(async (id: string, target: ContentTarget & { readonly quiet?: boolean }) => {
      const { findBatch } = await import("./remote-batches.js");
      const { writeContents } = await import("./transfer.js");
      const server = await findRunningServer(io);
      const files = listResultFiles(await findBatch(server, id));
      await withTransfer(io, target.quiet, (onProgress) =>
        writeContents(server, files, target, io.content, onProgress),
      );
    });
}

interface CreateOptions extends MadeOptions {
  readonly endpoint?: string;
}

function addCreateCommand(batches: Command, io: RequestsIo): void {
  batches
    .command("create")
    .description("upload a file with a request on each line, and create a batch of it")
    .argument("<file>", "file with a JSON object a line: custom_id, method, url, body")
    .option(
      "--endpoint <path>",
      "route of the requests, such as /v1/responses (default: that of the first line)",
    )
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but the ID")
    .action(async (path: string, { endpoint, ...options }: CreateOptions) => {
      const { uploadBatch } = await import("./remote-batches.js");
      const server = await findRunningServer(io);
      const batch = await withTransfer(io, options.quiet, (onProgress) =>
        uploadBatch(server, path, endpoint ?? null, onProgress),
      );
      printMade(io.out, options, { value: batch, text: createdText(batch), bare: batch.id });
    });
}

/** Adds a command that prints the state of one batch. */
function addForOne(
  batches: Command,
  name: string,
  description: string,
  io: RequestsIo,
  act: (server: ChatServer, id: string) => Promise<WireBatch>,
): void {
  batches
    .command(name)
    .description(description)
    .argument("<id>", "ID or its beginning, as `hearth batches ls` shows it")
    .option("--json", "print one JSON object")
    .action(async (id: string, { json }: { json?: true }) => {
      const batch = await act(await findRunningServer(io), id);
      io.out.write(json === true ? formatJson(batch) : toText(batch));
    });
}

/** Returns the files with answers and errors. @throws Error if the batch has not ended, or its input was refused. */
function listResultFiles(batch: WireBatch): readonly string[] {
  const { id, status, completed_at, expired_at, cancelled_at } = batch;
  if (status === "failed")
    throw new Error(`the input of ${id} was refused:\n${listProblems(batch).join("\n")}`);
  if ((completed_at ?? expired_at ?? cancelled_at) === null)
    throw new Error(`${id} has not ended: it is ${status}; \`hearth batches show ${id}\` says how far it is`);
  return [batch.output_file_id, batch.error_file_id].filter((file) => file !== null);
}

function listProblems({ errors }: WireBatch): readonly string[] {
  return (errors?.data ?? []).map(({ message, line }) =>
    line === null ? message : `line ${line}: ${message}`,
  );
}

function listCounts({ request_counts: { total, completed, failed } }: WireBatch): readonly string[] {
  return [String(total), String(completed), String(failed)];
}

function createdText({ id }: WireBatch): string {
  return `created the batch ${id}\nSee how far it is: hearth batches show ${id}\n`;
}

function listColumns(now: number): readonly TableColumn<WireBatch>[] {
  const count = (at: number) => (batch: WireBatch) => listCounts(batch)[at] ?? "";
  return [
    { title: "ID", cell: ({ id }) => id, kind: "id" },
    { title: "STATUS", cell: ({ status }) => status },
    { title: "ENDPOINT", cell: ({ endpoint }) => endpoint, charsMin: 12, leftOut: 1 },
    { title: "REQUESTS", cell: count(0), kind: "number" },
    { title: "ANSWERED", cell: count(1), kind: "number" },
    { title: "FAILED", cell: count(2), kind: "number" },
    { title: "CREATED", cell: (batch) => ago(now - batch.created_at * 1000), leftOut: 2 },
  ];
}

function toText(batch: WireBatch): string {
  const [total = "", completed = "", failed = ""] = listCounts(batch);
  const time = (at: number): string => new Date(at * 1000).toISOString();
  const ended = batch.completed_at ?? batch.failed_at ?? batch.expired_at ?? batch.cancelled_at;
  const lines: readonly (readonly [string, string | null])[] = [
    ["id", batch.id],
    ["status", batch.status],
    ["endpoint", batch.endpoint],
    ["requests", `${total}, answered ${completed}, failed ${failed}`],
    ["tokens", `${batch.usage.input_tokens} of prompts, ${batch.usage.output_tokens} of answers`],
    ["created", time(batch.created_at)],
    ["expires", ended === null ? time(batch.expires_at) : null],
    ["ended", ended === null ? null : time(ended)],
    ["input", batch.input_file_id],
    ["answers", batch.output_file_id],
    ["errors", batch.error_file_id],
    ...listProblems(batch).map((problem) => ["problem", problem] as const),
  ];
  return lines
    .flatMap(([name, value]) => (value === null ? [] : [`${`${name}:`.padEnd(10)} ${value}\n`]))
    .join("");
}
