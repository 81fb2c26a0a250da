/** Sends files to the server and reads their content from it, in chunks. */
import { createWriteStream, openAsBlob } from "node:fs";
import { chmod, mkdtemp, open, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { reportBytes, type OnProgress } from "../../core/report/progress.js";
import { resolveReference } from "../../core/resolve-reference.js";
import { askServer, openAnswer, type ChatServer } from "../server/client.js";
import { printableBytes } from "../terminal.js";
import { replaceFile } from "../../system/replace-file.js";

const fileSchema = z.object({
  id: z.string(),
  bytes: z.number(),
  created_at: z.number(),
  expires_at: z.number().nullish(),
  filename: z.string(),
  purpose: z.string(),
});

/** A file of the team, as the server describes it; times are in seconds. */
export type RemoteFile = z.infer<typeof fileSchema>;

/** A whole ID. */
const idChars = 37;
/** The newest files, among which the beginning of an ID or a name is searched. */
const searchedMax = 10_000;

const pageSchema = z.object({ data: z.array(fileSchema), has_more: z.boolean() });

/** Uploads a file. @throws Error if it cannot be read, or with the server's message. */
export async function uploadFile(
  server: ChatServer,
  path: string,
  purpose: string,
  onProgress: OnProgress,
): Promise<RemoteFile> {
  const status = await stat(path);
  if (!status.isFile()) throw new Error(`${path} is not a file`);
  const form = new FormData();
  form.set("purpose", purpose);
  form.set("file", await openAsBlob(path), basename(path));
  // Written by the class that belongs to the form: the `fetch` of a server with a certificate knows another one.
  const { body: whole, headers } = new Response(form);
  const report = reportBytes(`uploading ${basename(path)}`, status.size, onProgress);
  const body = whole?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        report(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const contentType = headers.get("content-type") ?? "";
  const init = { method: "POST", headers: { "content-type": contentType }, body, duplex: "half" as const };
  return fileSchema.parse(await (await openAnswer(server, "/v1/files", init)).json());
}

/** Lists the newest files of the team. */
export async function listNewestFiles(server: ChatServer, limit: number): Promise<readonly RemoteFile[]> {
  return pageSchema.parse(await askServer(server, `/v1/files?limit=${limit}`)).data;
}

/** Returns the file that a reference names: its ID, the beginning of its ID, or its name. */
export async function findFileId(server: ChatServer, reference: string): Promise<string> {
  if (reference.startsWith("file-") && reference.length >= idChars) return reference;
  const files = await listNewestFiles(server, searchedMax);
  const isNamed = ({ filename }: RemoteFile): boolean => filename === reference;
  return resolveReference("file", reference, files, isNamed, ({ filename }) => filename).id;
}

/** Deletes a file. */
export async function removeFile(server: ChatServer, id: string): Promise<void> {
  await askServer(server, `/v1/files/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export interface ContentTarget {
  /** A file to write; standard output without it. */
  readonly out?: string;
  readonly force?: true;
}

/**
 * Writes the contents of files, one after another.
 * @throws Error if the target exists and is not to be replaced, or with the server's message; nothing is left of a new file then, and
 * an existing one is as before.
 */
export async function writeContents(
  server: ChatServer,
  ids: readonly string[],
  { out, force }: ContentTarget,
  standard: NodeJS.WritableStream & { readonly isTTY?: boolean },
  onProgress: OnProgress,
): Promise<void> {
  // What goes to standard output would meet the line of the progress.
  const report = out === undefined ? () => undefined : reportBytes(`writing ${out}`, 0, onProgress);
  const contents = Readable.from(contentsOf(server, ids, report));
  if (out === undefined) {
    if (standard.isTTY !== true) return pipeline(contents, standard, { end: false });
    return pipeline(contents, printableBytes(), standard, { end: false });
  }
  const existing = await stat(out).catch(() => null);
  if (existing !== null && force !== true) throw new Error(`${out} exists; --force replaces it`);
  if (existing === null) return writeNew(contents, out);
  // A device or a pipe has no former content.
  if (!existing.isFile()) return pipeline(contents, createWriteStream(out));
  return replace(contents, await realpath(out), existing.mode);
}

/** Writes a file that does not exist; it is removed when the content does not come to its end. */
async function writeNew(contents: Readable, path: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await pipeline(contents, file.createWriteStream());
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  }
}

/** Replaces a file once the whole content is written beside it. */
async function replace(contents: Readable, path: string, mode: number): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), ".hearth-"));
  try {
    const whole = join(folder, "content");
    await pipeline(contents, createWriteStream(whole));
    await chmod(whole, mode);
    await replaceFile(whole, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* contentsOf(
  server: ChatServer,
  ids: readonly string[],
  report: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for (const id of ids) {
    const { body } = await openAnswer(server, `/v1/files/${encodeURIComponent(id)}/content`);
    if (body === null) continue;
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      report(chunk.length);
      yield chunk;
    }
  }
}
