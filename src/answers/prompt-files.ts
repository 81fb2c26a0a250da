/**
 * Puts the contents of files in the place of their ids and URLs, and the text of PDF files in the place of the files, in the body of a
 * request of any dialect, before it is parsed. Only the parts that dialects read as files are changed.
 */
import type { Principal } from "../accounts/principals/api-key.js";
import { authorise } from "../accounts/principals/permissions.js";
import type { PdfReader } from "../core/prompt/documents.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { memberTexts, writeJson } from "../core/json/member-texts.js";
import type { ImageFetcher } from "../core/images/images.js";
import { sniff, unreadable } from "../core/images/sniff.js";
import { decodeBase64, decodeText, isPdf, isPdfText } from "../dialects/text-file.js";
import type { Files } from "../inference/files/files.js";
import { unlessAborted } from "../inference/abortable.js";
import { encodePages, pagesText } from "../dialects/pdf-pages.js";

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

// Finds the parts of a request's body, of any dialect, whose files are not text yet: those named by an id or a URL, and PDF files.

/** A part of a body with a file. */
interface FilePart {
  readonly source:
    | { readonly type: "id"; readonly fileId: string }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "data"; readonly data: string };
  readonly param: string;
  /** Whether the request says that it is a PDF file. */
  readonly isPdfDeclared: boolean;
  /** Whether it must be an image. */
  readonly isImage?: boolean;
  /** Puts the content in its place. */
  replace(content: FileContent): void;
}

/** What a file has. `filename` is null when only the request may know it. */
type FileContent =
  | { readonly type: "text"; readonly base64: string; readonly filename: string | null }
  | { readonly type: "pdf"; readonly pages: readonly string[]; readonly filename: string | null }
  | { readonly type: "image"; readonly base64: string; readonly mediaType: string };

type Fields = Record<string, unknown>;

/** The fields of a body whose elements can have files. */
const fileLists = ["messages", "input", "items"];

function isFileList(field: string): boolean {
  return fileLists.includes(field);
}

/** Returns the parts of a body in order. @param body parsed JSON; `replace` changes it. */
function* listFileParts(body: unknown): Generator<FilePart, void, undefined> {
  for (const list of fileLists)
    for (const [index, message] of toArray(toFields(body)[list]).entries())
      for (const name of ["content", "output"])
        yield* partsIn(toFields(message)[name], `${list}.${index}.${name}`);
}

function* partsIn(content: unknown, at: string): Generator<FilePart, void, undefined> {
  for (const [index, value] of toArray(content).entries()) {
    const part = toFields(value);
    const param = `${at}.${index}`;
    if (part["type"] === "tool_result") yield* partsIn(part["content"], `${param}.content`);
    else if (part["type"] === "file") yield* dataPart(toFields(part["file"]), `${param}.file`);
    else if (part["type"] === "input_file") yield* dataPart(part, param);
    else if (part["type"] === "document") yield* documentPart(part, param);
    else if (part["type"] === "input_image" || part["type"] === "image") yield* imagePart(part, param);
  }
}

const pdfDataUrl = /^data:application\/pdf[;,]/i;

/** An uploaded image: `file_id` becomes a data URL, and a source of Anthropic's dialect becomes `base64`. */
function* imagePart(part: Fields, param: string): Generator<FilePart, void, undefined> {
  const source = toFields(part["source"]);
  const isOpenAi = part["type"] === "input_image" && typeof part["image_url"] !== "string";
  const place = isOpenAi ? part : source["type"] === "file" ? source : {};
  const { file_id: fileId } = place;
  if (typeof fileId !== "string") return;
  yield {
    source: { type: "id", fileId },
    param: `${param}${isOpenAi ? "" : ".source"}.file_id`,
    isPdfDeclared: false,
    isImage: true,
    replace(content) {
      if (content.type !== "image") return;
      const { base64: data, mediaType } = content;
      if (isOpenAi) part["image_url"] = `data:${mediaType};base64,${data}`;
      else part["source"] = { type: "base64", media_type: mediaType, data };
    },
  };
}

/** A file of OpenAI's dialects: `file_id` and `file_url` become `file_data`, and `file_data` becomes text. */
function* dataPart(fields: Fields, param: string): Generator<FilePart, void, undefined> {
  const { file_id: fileId, file_url: url, file_data: data, filename } = fields;
  const replace = (content: FileContent): void => {
    if (content.type === "image") return;
    const text = content.type === "text" ? content.base64 : toBase64(pagesText(content.pages));
    fields["file_data"] = `data:text/plain;base64,${text}`;
    if (content.filename !== null) fields["filename"] = filename ?? content.filename;
    delete fields["file_url"];
  };
  if (typeof data === "string") {
    const isPdfDeclared = pdfDataUrl.test(data);
    if (isPdfDeclared || isPdfText(data))
      yield { source: { type: "data", data }, param: `${param}.file_data`, isPdfDeclared, replace };
  } else if (typeof fileId === "string")
    yield { source: { type: "id", fileId }, param: `${param}.file_id`, isPdfDeclared: false, replace };
  else if (typeof url === "string")
    yield { source: { type: "url", url }, param: `${param}.file_url`, isPdfDeclared: false, replace };
}

/** A document of Anthropic's dialect: its source becomes `base64`, with the pages of a PDF file as their parser expects them. */
function* documentPart(part: Fields, param: string): Generator<FilePart, void, undefined> {
  const { type, file_id: fileId, url, data, media_type: mediaType } = toFields(part["source"]);
  const replace = (content: FileContent): void => {
    if (content.type === "image") return;
    part["source"] =
      content.type === "text"
        ? { type: "base64", media_type: "text/plain", data: content.base64 }
        : { type: "base64", media_type: "application/pdf", data: toBase64(encodePages(content.pages)) };
    if (content.filename !== null) part["title"] ??= content.filename;
  };
  const isPdfDeclared = mediaType === "application/pdf";
  if (type === "file" && typeof fileId === "string")
    yield { source: { type: "id", fileId }, param: `${param}.source.file_id`, isPdfDeclared: false, replace };
  else if (type === "url" && typeof url === "string")
    yield { source: { type: "url", url }, param: `${param}.source.url`, isPdfDeclared: false, replace };
  else if (type === "base64" && typeof data === "string" && (isPdfDeclared || isPdfText(data)))
    yield { source: { type: "data", data }, param: `${param}.source.data`, isPdfDeclared, replace };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
