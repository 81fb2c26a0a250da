/**
 * Puts the contents of uploaded files in the place of their ids, in the body of a request of any dialect, before it is parsed. Only the
 * parts that dialects read as files are changed.
 */
import type { Principal } from "../accounts/keys/api-key.js";
import { authorise } from "../accounts/keys/permissions.js";
import { HearthError } from "../core/errors.js";
import type { Files } from "../inference/files/files.js";
import type { StoredFile } from "../inference/files/stored-file.js";

/** Files, and their bytes together, that one request may name. */
const filesMax = 100;
const bytesMax = 10 * 1024 * 1024;

type Fields = Record<string, unknown>;

/** A part of a body that names a file. */
interface FilePart {
  readonly fileId: string;
  readonly param: string;
  /** Puts the content in its place. */
  replace(file: StoredFile, base64: string): void;
}

/**
 * Returns the body with the contents of the files; the same object where it names none.
 * @param body parsed JSON.
 * @throws HearthError `permission_denied` for a key that may not read files, `not_found` for a file that the team does not have,
 * `invalid_value` for too many or too large files.
 */
export async function inlineFiles(
  files: Pick<Files, "find" | "read">,
  principal: Principal,
  body: unknown,
): Promise<unknown> {
  if (partsOf(body).next().done === true) return body;
  authorise(principal, { endpoint: "files", model: null });
  const copy = structuredClone(body);
  const parts = [...partsOf(copy)];
  if (parts.length > filesMax) throw tooMuch(parts[filesMax]?.param ?? "", `at most ${filesMax} files`);
  let bytes = 0;
  for (const part of parts) {
    const file = await files.find(part.fileId, principal.team.id);
    bytes += file.bytes;
    if (bytes > bytesMax) throw tooMuch(part.param, `files of at most ${bytesMax} bytes together`);
    const chunks: Buffer[] = [];
    for await (const chunk of await files.read(file)) chunks.push(chunk as Buffer);
    part.replace(file, Buffer.concat(chunks).toString("base64"));
  }
  return copy;
}

function* partsOf(body: unknown): Generator<FilePart, void, undefined> {
  for (const list of ["messages", "input", "items"])
    for (const [index, message] of elementsOf(fieldsOf(body)[list]).entries())
      for (const name of ["content", "output"])
        yield* partsIn(fieldsOf(message)[name], `${list}.${index}.${name}`);
}

function* partsIn(content: unknown, at: string): Generator<FilePart, void, undefined> {
  for (const [index, value] of elementsOf(content).entries()) {
    const part = fieldsOf(value);
    const param = `${at}.${index}`;
    if (part["type"] === "tool_result") yield* partsIn(part["content"], `${param}.content`);
    else if (part["type"] === "file") yield* dataPart(fieldsOf(part["file"]), `${param}.file`);
    else if (part["type"] === "input_file") yield* dataPart(part, param);
    else if (part["type"] === "document") yield* documentPart(part, param);
  }
}

/** A file of OpenAI's dialects: `file_id` becomes `file_data`. */
function* dataPart(fields: Fields, param: string): Generator<FilePart, void, undefined> {
  const { file_id: fileId, file_data: data, filename } = fields;
  if (typeof fileId !== "string" || data != null) return;
  yield {
    fileId,
    param: `${param}.file_id`,
    replace(file, base64) {
      fields["file_data"] = base64;
      fields["filename"] = filename ?? file.filename;
    },
  };
}

/** A document of Anthropic's dialect: its source becomes `base64`. */
function* documentPart(part: Fields, param: string): Generator<FilePart, void, undefined> {
  const { type, file_id: fileId } = fieldsOf(part["source"]);
  if (type !== "file" || typeof fileId !== "string") return;
  yield {
    fileId,
    param: `${param}.source.file_id`,
    replace(file, data) {
      part["source"] = { type: "base64", media_type: "text/plain", data };
      part["title"] ??= file.filename;
    },
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function tooMuch(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param}: a request may name ${what}`, { param });
}
