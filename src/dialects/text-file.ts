/** Reads text files that a request contains. Pure. */
import { invalidValue, unsupported } from "./field-error.js";
import { wellFormed } from "./well-formed.js";

/** A file in a request. */
export interface InlineFile {
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
  const content = data.replace(dataUrl, "");
  if (!base64.test(content)) throw invalidValue(param, "must be base64, or a data URL with base64");
  const bytes = Buffer.from(content, "base64");
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") throw unsupported(param, "PDF files are");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Not UTF-8.
  }
  throw unsupported(param, "files that are not text in UTF-8 are");
}
