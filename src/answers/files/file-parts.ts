/** Finds the parts of a request's body, of any dialect, whose files are not text yet: those named by an id or a URL, and PDF files. */
import { encodePages, pagesText } from "../../dialects/pdf-pages.js";
import { isPdfText } from "../../dialects/text-file.js";

/** A part of a body with a file. */
export interface FilePart {
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
export type FileContent =
  | { readonly type: "text"; readonly base64: string; readonly filename: string | null }
  | { readonly type: "pdf"; readonly pages: readonly string[]; readonly filename: string | null }
  | { readonly type: "image"; readonly base64: string; readonly mediaType: string };

type Fields = Record<string, unknown>;

/** The fields of a body whose elements can have files. */
const fileLists = ["messages", "input", "items"];

export function isFileList(field: string): boolean {
  return fileLists.includes(field);
}

/** Returns the parts of a body in order. @param body parsed JSON; `replace` changes it. */
export function* listFileParts(body: unknown): Generator<FilePart, void, undefined> {
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
