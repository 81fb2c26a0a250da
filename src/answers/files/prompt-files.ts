/**
 * Puts the contents of files in the place of their ids and URLs, and the text of PDF files in the place of the files, in the body of a
 * request of any dialect, before it is parsed. Only the parts that dialects read as files are changed.
 */
import type { Principal } from "../../accounts/principals/api-key.js";
import { authorise } from "../../accounts/principals/permissions.js";
import type { PdfReader } from "../../core/prompt/documents.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { memberTexts, writeJson } from "../../core/json/member-texts.js";
import type { ImageFetcher } from "../../core/images/images.js";
import { sniff, unreadable } from "../../core/images/sniff.js";
import { decodeBase64, decodeText, isPdf } from "../../dialects/text-file.js";
import type { Files } from "../../inference/files/files.js";
import { unlessAborted } from "../../inference/abortable.js";
import { listFileParts, isFileList, type FileContent, type FilePart } from "./file-parts.js";

/** Files, and the bytes together of those that are not in the body itself, that one request may have. */
const filesMax = 100;
const bytesMax = 32 * 1024 * 1024;
/** How long the files of one request may take together. */
const readMsMax = 120_000;

export type PromptFiles = ReturnType<typeof createPromptFiles>;

interface PromptFilesDeps {
  readonly files: Files;
  readonly fetcher: ImageFetcher;
  readonly pdfs: PdfReader;
  readonly clock: Clock;
}

/** Whether a body has files, so that `inline` has something to do. */
export function hasFiles(body: unknown): boolean {
  return listFileParts(body).next().done !== true;
}

/**
 * Returns the JSON text of a body as `inline` has returned it.
 * @param bodyText the JSON text of the body before if it may have numbers that JSON.parse rounds; they are kept.
 */
export function inlinedText(body: unknown, bodyText: string | null): string {
  if (bodyText === null || typeof body !== "object" || body === null) return JSON.stringify(body);
  const kept = Object.entries(body).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === "object" && value !== null && !isFileList(name) ? [{ name, value }] : [],
  );
  const found = memberTexts(
    bodyText,
    kept.map(({ name }) => name),
  );
  const texts = kept.flatMap(({ value }, index) => {
    const text = found[index];
    return text === undefined ? [] : [[value, text] as const];
  });
  return writeJson(body, new Map(texts));
}

/** Creates the service. */
export function createPromptFiles(deps: PromptFilesDeps) {
  return {
    /**
     * Returns the body with the contents of the files; the same object where there is nothing to do.
     * @param body parsed JSON; the key may use the model that it names.
     * @param signal ends the work; absent: only its time limit does.
     * @throws HearthError `permission_denied` for a key that may not read files, `not_found` for a file that the team does not have,
     * `invalid_value` for too many or too large files, for one that cannot be fetched or read, and for files that take too much time.
     * @throws the signal's reason when it aborts.
     */
    async inline(principal: Principal, body: unknown, signal?: AbortSignal): Promise<unknown> {
      if (!hasFiles(body)) return body;
      const copy = structuredClone(body);
      const parts = [...listFileParts(copy)];
      if (parts.some(({ source }) => source.type === "id"))
        authorise(principal, { endpoint: "files", model: null });
      if (parts.length > filesMax) throw tooMuch(parts[filesMax]?.param ?? "", `at most ${filesMax} files`);
      await withinTime(deps, signal, async (ending) => {
        const request = { teamId: principal.team.id, bytesLeft: bytesMax, signal: ending };
        for (const part of parts) part.replace(await unlessAborted(read(deps, part, request), ending));
      });
      return copy;
    },
  };
}

/** Does work with a signal that aborts with the given one, and when the time is over. */
async function withinTime(
  { clock }: PromptFilesDeps,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const seconds = readMsMax / 1000;
  const message = `The files of this request take more than ${seconds} s to fetch and read.`;
  const stop = clock.after(readMsMax, () => late.abort(new HearthError("invalid_value", message)));
  try {
    await work(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    stop();
  }
}

interface RequestState {
  readonly signal: AbortSignal;
  readonly teamId: string;
  /** Bytes that further files of the request may have. */
  bytesLeft: number;
}

async function read(deps: PromptFilesDeps, part: FilePart, request: RequestState): Promise<FileContent> {
  const { param, isPdfDeclared, isImage = false } = part;
  const { bytes, filename } = await load(deps, part, request);
  if (isImage)
    return { type: "image", base64: bytes.toString("base64"), mediaType: readImageType(bytes, param) };
  const { teamId, signal } = request;
  if (isPdfDeclared || isPdf(bytes))
    return { type: "pdf", pages: await deps.pdfs.read(bytes, { param, teamId }, signal), filename };
  const base64 = bytes.toString("base64");
  decodeText(base64, param);
  return { type: "text", base64, filename };
}

/** @throws HearthError `invalid_value` for a file that is no image that can be read */
function readImageType(bytes: Buffer, param: string): string {
  const kind = sniff(bytes);
  const problem = unreadable(kind);
  if (problem === null) return `image/${kind}`;
  throw new HearthError("invalid_value", `${param}: the file ${problem}`, { param });
}

interface LoadedFile {
  readonly bytes: Buffer;
  /** null: the request has it, or the file has none. */
  readonly filename: string | null;
}

async function load(
  { files, fetcher }: PromptFilesDeps,
  { source, param }: FilePart,
  request: RequestState,
): Promise<LoadedFile> {
  if (source.type === "data") return { bytes: decodeBase64(source.data, param), filename: null };
  if (source.type === "url") {
    const fetched = await fetcher.fetch(source.url, param, request.signal);
    spend(request, fetched.length, param);
    return { bytes: Buffer.from(fetched), filename: null };
  }
  const file = await files.find(source.fileId, request.teamId);
  spend(request, file.bytes, param);
  const chunks: Buffer[] = [];
  for await (const chunk of await files.read(file)) chunks.push(chunk as Buffer);
  return { bytes: Buffer.concat(chunks), filename: file.filename };
}

function spend(request: RequestState, bytes: number, param: string): void {
  request.bytesLeft -= bytes;
  if (request.bytesLeft < 0) throw tooMuch(param, `files of at most ${bytesMax} bytes together`);
}

function tooMuch(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param}: a request may name ${what}`, { param });
}
