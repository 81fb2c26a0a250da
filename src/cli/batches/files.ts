/** `hearth files`: lists, uploads, reads and deletes the files of the key's team. */
import { Option, type Command } from "commander";
import { ago } from "../duration.js";
import { forEachReference } from "../command-helpers.js";
import { sizeText } from "../../core/report/size-text.js";
import { formatJson, formatTable } from "../table.js";
import { findRunningServer, withListOptions, withOutputOptions, type RequestsIo } from "./commands.js";
import type { ContentTarget, RemoteFile } from "./transfer.js";

/** What a person may upload a file for. */
const purposes = ["assistants", "batch", "user_data", "vision"];

/** Adds `files` and its subcommands; they fail if no server is running. */
export function addFilesCommand(program: Command, io: RequestsIo): void {
  const files = program.command("files").description("list, upload, read and delete files of the team");
  withListOptions(files.command("ls").alias("list"), "files")
    .description("list the files, the newest first")
    .action(async ({ limit, json }: { limit: number; json?: true }) => {
      const { listNewestFiles } = await import("./transfer.js");
      const all = await listNewestFiles(await findRunningServer(io), limit);
      io.out.write(json === true ? formatJson(all) : toTable(all, io.clock.now()));
    });
  files
    .command("upload")
    .description("upload a file and print its ID")
    .argument("<file>", "file to upload")
    .addOption(new Option("--purpose <purpose>", "what it is for").choices(purposes).default("user_data"))
    .option("--json", "print one JSON object")
    .action(async (path: string, { purpose, json }: { purpose: string; json?: true }) => {
      const { uploadFile } = await import("./transfer.js");
      const file = await uploadFile(await findRunningServer(io), path, purpose);
      io.out.write(json === true ? formatJson(file) : `${file.id}\n`);
    });
  withOutputOptions(files.command("get"))
    .description("print the content of a file")
    .argument("<id>", "ID as `hearth files ls` shows it")
    .action(async (id: string, target: ContentTarget) => {
      const { writeContents } = await import("./transfer.js");
      await writeContents(await findRunningServer(io), [id], target, io.content);
    });
  addDeleteCommand(files, io);
}

function addDeleteCommand(files: Command, io: RequestsIo): void {
  files
    .command("rm")
    .alias("delete")
    .description("delete files")
    .argument("<id...>", "ID as `hearth files ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (ids: string[], { json }: { json?: true }) => {
      const { removeFile } = await import("./transfer.js");
      const server = await findRunningServer(io);
      const done: string[] = [];
      const remove = async (id: string): Promise<void> => {
        await removeFile(server, id);
        done.push(id);
        if (json !== true) io.out.write(`${id}\n`);
      };
      await forEachReference(ids, remove).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function toTable(files: readonly RemoteFile[], now: number): string {
  const rows = files.map((file) => [
    file.id,
    file.filename,
    sizeText(file.bytes),
    file.purpose,
    ago(now - file.created_at * 1000),
  ]);
  return formatTable(["ID", "NAME", "SIZE", "PURPOSE", "CREATED"], rows);
}
