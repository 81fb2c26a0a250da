/** `hearth files`: lists, uploads, reads and deletes the files of the key's team. */
import { printMade, type MadeOptions } from "../made.js";
import { Option, type Command } from "commander";
import { ago } from "../duration.js";
import { forEachReference } from "../command-helpers.js";
import { sizeText } from "../../core/report/size-text.js";
import { printListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  findRunningServer,
  withListOptions,
  withOutputOptions,
  withTransfer,
  type RequestsIo,
} from "./commands.js";
import type { ContentTarget, RemoteFile } from "./transfer.js";

/** What a person may upload a file for. */
const purposes = ["assistants", "batch", "user_data", "vision"];

interface UploadOptions extends MadeOptions {
  readonly purpose: string;
}

/** Adds `files` and its subcommands; they fail if no server is running. */
export function addFilesCommand(program: Command, io: RequestsIo): void {
  const files = program.command("files").description("list, upload, read and delete files of the team");
  withListOptions(files.command("ls").alias("list"), "files")
    .description("list the files, the newest first")
    .action(async ({ limit, ...options }: ListingOptions & { limit: number }) => {
      const { listNewestFiles } = await import("./transfer.js");
      const all = await listNewestFiles(await findRunningServer(io), limit);
      printListing(io, options, {
        items: all,
        columns: listColumns(io.clock.now()),
        empty: "No files. Upload one: hearth files upload FILE",
      });
    });
  files
    .command("upload")
    .description("upload a file and print its ID")
    .argument("<file>", "file to upload")
    .addOption(new Option("--purpose <purpose>", "what it is for").choices(purposes).default("user_data"))
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but the ID")
    .action(async (path: string, { purpose, ...options }: UploadOptions) => {
      const { uploadFile } = await import("./transfer.js");
      const server = await findRunningServer(io);
      const file = await withTransfer(io, options.quiet, (onProgress) =>
        uploadFile(server, path, purpose, onProgress),
      );
      const text = `uploaded ${file.filename} as ${file.id}\n`;
      printMade(io.out, options, { value: file, text, bare: file.id });
    });
  withOutputOptions(files.command("get"))
    .description("print the content of a file")
    .argument("<id>", "ID, its beginning, or the name, as `hearth files ls` shows it")
    .action(async (id: string, target: ContentTarget & { readonly quiet?: boolean }) => {
      const { findFileId, writeContents } = await import("./transfer.js");
      const server = await findRunningServer(io);
      const files = [await findFileId(server, id)];
      await withTransfer(io, target.quiet, (onProgress) =>
        writeContents(server, files, target, io.content, onProgress),
      );
    });
  addDeleteCommand(files, io);
}

function addDeleteCommand(files: Command, io: RequestsIo): void {
  files
    .command("rm")
    .alias("delete")
    .description("delete files")
    .argument("<id...>", "ID, its beginning, or the name, as `hearth files ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (ids: string[], { json }: { json?: true }) => {
      const { findFileId, removeFile } = await import("./transfer.js");
      const server = await findRunningServer(io);
      const done: string[] = [];
      const remove = async (reference: string): Promise<void> => {
        const id = await findFileId(server, reference);
        await removeFile(server, id);
        done.push(id);
        if (json !== true) io.out.write(`deleted ${id}\n`);
      };
      await forEachReference(ids, remove).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function listColumns(now: number): readonly TableColumn<RemoteFile>[] {
  return [
    { title: "ID", cell: ({ id }) => id, kind: "id" },
    { title: "NAME", cell: ({ filename }) => filename, charsMin: 16 },
    { title: "SIZE", cell: ({ bytes }) => sizeText(bytes), kind: "number" },
    { title: "PURPOSE", cell: ({ purpose }) => purpose, leftOut: 1 },
    { title: "CREATED", cell: (file) => ago(now - file.created_at * 1000) },
  ];
}
