/** Reads a body of multipart/form-data that has one file, which is passed on in chunks and is never in memory as a whole. */
import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { HearthError, toHearthError } from "../../core/errors.js";
import { invalidValue } from "../../dialects/field-error.js";
import type { Context } from "./context.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import { admitBody } from "./middleware/protocol.js";
import { reserveUntilEnd } from "./middleware/reserve-body.js";

/** What a part says of its file. */
interface UploadedFile {
  readonly filename: string;
  readonly mimeType: string;
}

export interface Upload extends UploadedFile {
  /** Text fields by name. */
  readonly fields: Readonly<Record<string, string>>;
}

type Parser = InstanceType<typeof Busboy>;

/** RFC 2046 allows 70 characters. */
const boundaryCharsMax = 70;
/** What is in memory of a form at a time: chunks that are read and not written. */
const chunksBytesMax = 256 * 1024;
const limits = {
  fieldNameSize: 100,
  fieldSize: 4096,
  fields: 20,
  files: 1,
  parts: 21,
  headerPairs: 20,
  headerSize: 16_384,
};
const filenameCharsMax = 255;
const plainType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/**
 * Reads the body to its end.
 * @param write called with each chunk of the file, one at a time; what it throws ends the reading.
 * @throws HearthError `unsupported_media_type`, `malformed`, `invalid_field` or `invalid_value` for a body that cannot be read;
 * `overloaded` when there is no memory for it in time.
 */
export async function readUpload(
  { req, res }: Pick<Context, "req" | "res">,
  budget: BodyBudget,
  write: (chunk: Buffer) => Promise<void>,
): Promise<Upload> {
  const parser = createParser(req);
  await reserveUntilEnd(res, budget).reserve(chunksBytesMax);
  admitBody(req, res);
  try {
    return await parse(req, parser, write);
  } catch (thrown) {
    req.unpipe(parser);
    throw thrown;
  } finally {
    parser.destroy();
  }
}

function createParser(req: IncomingMessage): Parser {
  const contentType = req.headers["content-type"] ?? "";
  const boundary = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType);
  const text = boundary?.[1] ?? boundary?.[2] ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType) || text === "")
    throw new HearthError(
      "unsupported_media_type",
      "The request body must be a form with a file, with the header 'content-type: multipart/form-data; boundary=...'.",
    );
  if (text.length > boundaryCharsMax)
    throw malformed(`The boundary of the form is longer than ${boundaryCharsMax} characters.`);
  if ((req.headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    throw new HearthError("unsupported_media_type", "Compressed request bodies are not supported.");
  return new Busboy({ headers: { ...req.headers, "content-type": contentType }, limits });
}

function parse(
  req: IncomingMessage,
  parser: Parser,
  write: (chunk: Buffer) => Promise<void>,
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let file: UploadedFile | null = null;
    let written: Promise<void> = Promise.resolve();
    parser.on("field", (name, value, isNameCut, isCut) => {
      if (isNameCut || isCut) reject(invalidValue(name, `must have at most ${limits.fieldSize} bytes`));
      fields[name] = value;
    });
    parser.on("file", (name, stream, filename, _, mimeType) => {
      // Without a listener, the error of a body that ends too early would end the process.
      stream.on("error", reject);
      try {
        file = describe(name, filename, mimeType);
        written = consume(stream, write);
        written.catch(reject);
      } catch (thrown) {
        stream.resume();
        reject(toHearthError(thrown));
      }
    });
    parser.on("filesLimit", () => reject(malformed("The form has more than one file.")));
    parser.on("fieldsLimit", () => reject(malformed(`The form has more than ${limits.fields} fields.`)));
    parser.on("partsLimit", () => reject(malformed(`The form has more than ${limits.parts} parts.`)));
    parser.on("error", (cause) => reject(malformed("The form is not valid multipart/form-data.", cause)));
    parser.on("finish", () => {
      written.then(() => (file === null ? reject(missingFile()) : resolve({ ...file, fields })), reject);
    });
    req.on("error", (cause) => reject(malformed("The request ended before its body was complete.", cause)));
    req.on("close", () => {
      if (!req.complete) reject(malformed("The request ended before its body was complete."));
    });
    req.pipe(parser);
  });
}

async function consume(stream: BusboyFileStream, write: (chunk: Buffer) => Promise<void>): Promise<void> {
  for await (const chunk of stream) await write(chunk as Buffer);
}

function describe(field: string, filename: string | undefined, mimeType: string): UploadedFile {
  if (field !== "file") throw invalidValue(field, "is not a field of a file: the field is 'file'");
  const name = filename ?? "";
  if (name === "" || name.length > filenameCharsMax || /\p{Cc}|\p{Surrogate}/u.test(name))
    throw invalidValue(
      "file",
      `must have a file name of 1 to ${filenameCharsMax} characters without control characters`,
    );
  return { filename: name, mimeType: plainType.test(mimeType) ? mimeType : "application/octet-stream" };
}

function missingFile(): HearthError {
  return new HearthError("invalid_field", "file: is required", { param: "file" });
}

function malformed(message: string, cause?: unknown): HearthError {
  return new HearthError("malformed", message, { cause });
}
