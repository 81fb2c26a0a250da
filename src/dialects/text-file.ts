/** Reads text files that a request contains; PDF files are text by then. Pure. */
import { HearthError } from "../core/errors.js";
import { invalidValue, unsupported } from "./field-error.js";
import { wellFormed } from "./well-formed.js";

/** A file in a request. */
interface InlineFile {
  /** A data URL, or base64. */
  readonly data: string;
  /** Shown to the model before the text; without one, the text stands alone. */
  readonly filename: string | null | undefined;
}

const dataUrl = /^data:([^,;]*)(?:;[^,;]*)*?;base64,/i;
/** Only one of its parts can match a space: two would take a time that is the square of the text's length. */
const base64 = /^[A-Za-z0-9+/_\s-]*(?:={1,2}\s*)?$/;

/**
 * Returns the text that stands for a file in the prompt: its name and its content, on lines of their own.
 * @param param the field with the data. @throws HearthError `invalid_value` for data that is not text.
 */
export function readTextFile({ data, filename }: InlineFile, param: string): string {
  const name = filename == null || filename === "" ? "" : `${wellFormed(filename)}\n`;
  return `\n${name}${decodeText(data, param)}\n`;
}

/**
 * Decodes a text file.
 * @param data a data URL, or base64. @throws as `readTextFile` does.
 */
export function decodeText(data: string, param: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64(data, param));
    if (!text.includes("\0")) return text;
  } catch (thrown) {
    if (thrown instanceof HearthError) throw thrown;
    // Not UTF-8.
  }
  throw unsupported(param, "files that are neither PDF nor text in UTF-8 are");
}

/** Decodes a data URL, or base64. @throws HearthError `invalid_value` naming `param`. */
export function decodeBase64(data: string, param: string): Buffer {
  const content = data.replace(dataUrl, "");
  if (!base64.test(content)) throw invalidValue(param, "must be base64, or a data URL with base64");
  return Buffer.from(content, "base64");
}

/** Returns whether a file is a PDF by its first bytes. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-";
}

/** The same for base64, or a data URL; reads only its beginning. */
export function isPdfText(data: string): boolean {
  const [head = ""] = dataUrl.exec(data.slice(0, 1024)) ?? [];
  return isPdf(Buffer.from(data.slice(head.length, head.length + 100), "base64"));
}
