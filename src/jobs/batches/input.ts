/** Reads and checks the input of a batch, line by line. */
import type { Readable } from "node:stream";
import { HearthError } from "../../core/errors.js";
import { memberTexts } from "../../core/json/member-texts.js";
import { z } from "zod";
import { safelyParsed, fieldError } from "../../dialects/field-error.js";
import type { BatchError, BatchLine } from "./batch.js";

/** Parses the JSON of one line. @throws HearthError `malformed`. */
export type ParseJson = (bytes: Buffer) => Promise<{ readonly value: unknown; readonly text: string | null }>;

interface InputRules {
  readonly endpoint: string;
  readonly linesMax: number;
  readonly lineBytesMax: number;
  /** @throws HearthError when the batch may not use the model. */
  readonly checkModel: (name: string) => void;
  readonly parseJson: ParseJson;
}

const customIdCharsMax = 512;
const errorsMax = 100;
const newline = 0x0a;

const lineSchema = z.object({
  custom_id: z
    .string()
    .min(1, "must not be empty")
    .max(customIdCharsMax, `must be at most ${customIdCharsMax} characters long`),
  method: z.literal("POST"),
  url: z.string(),
  body: z.looseObject({ model: z.string() }),
});

/**
 * Yields each line, or what is wrong with it; after an error, only further errors. Blank lines are left out.
 * @param source the bytes of the file.
 */
export async function* readBatchInput(
  source: Readable,
  rules: InputRules,
): AsyncGenerator<BatchLine | BatchError, void, undefined> {
  const check = createLineCheck(rules);
  let lines = 0;
  let errors = 0;
  let at = 0;
  for await (const bytes of readLines(source, rules.lineBytesMax)) {
    at += 1;
    if (bytes === null) {
      yield {
        code: "invalid_json_line",
        message: `This line is longer than ${rules.lineBytesMax} bytes.`,
        param: null,
        line: at,
      };
      return;
    }
    if (bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue;
    if (lines >= rules.linesMax) {
      yield {
        code: "too_many_requests",
        message: `A batch may have at most ${rules.linesMax} requests.`,
        param: null,
        line: at,
      };
      return;
    }
    const read = await check(bytes, at);
    if ("code" in read) errors += 1;
    else lines += 1;
    yield "code" in read ? read : { ...read, line: lines - 1 };
    if (errors >= errorsMax) return;
  }
  if (lines + errors === 0)
    yield { code: "empty_file", message: "The input file has no requests.", param: null, line: null };
}

function createLineCheck({ endpoint, checkModel, parseJson }: InputRules) {
  const customIds = new Set<string>();
  let model: string | null = null;
  return async (bytes: Buffer, line: number): Promise<BatchLine | BatchError> => {
    const wrong = (code: string, message: string, param: string | null = null): BatchError => ({
      code,
      message,
      param,
      line,
    });
    let read;
    try {
      read = await parseJson(bytes);
    } catch {
      return wrong("invalid_json_line", "This line is not parseable as valid JSON.");
    }
    const parsed = safelyParsed(lineSchema, read.value);
    if (!parsed.success) {
      const { message, param } = fieldError(parsed.error, read.value);
      return wrong("invalid_request", message, param);
    }
    const { custom_id: customId, url, body } = parsed.data;
    if (url !== endpoint)
      return wrong("mismatched_endpoint", `url: must be ${endpoint}, the endpoint of the batch`, "url");
    if (customIds.has(customId))
      return wrong(
        "duplicate_custom_id",
        `The custom_id for this request is a duplicate of another request: ${customId.slice(0, 100)}`,
        "custom_id",
      );
    customIds.add(customId);
    if (model !== null && body.model !== model)
      return wrong(
        "mismatched_model",
        `All requests of a batch must have the same model: '${model}'.`,
        "body.model",
      );
    try {
      if (model === null) checkModel(body.model);
    } catch (thrown) {
      if (!(thrown instanceof HearthError)) throw thrown;
      return wrong(thrown.kind, thrown.message, "body.model");
    }
    model = body.model;
    const text = read.text === null ? undefined : memberTexts(read.text, ["body"])[0];
    return { line, customId, body: text ?? JSON.stringify(body) };
  };
}

/** Yields the lines of a file without their ends; null instead of a line that is too long. */
async function* readLines(
  source: Readable,
  bytesMax: number,
): AsyncGenerator<Buffer | null, void, undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  const taken = (): Buffer => {
    const line = Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
    const hasMark = isFirst && line.subarray(0, 3).equals(byteOrderMark);
    isFirst = false;
    return hasMark ? line.subarray(3) : line;
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      bytes += end - from;
      if (bytes > bytesMax) return yield null;
      pieces.push(chunk.subarray(from, end));
      from = end + 1;
      yield taken();
    }
    pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > bytesMax) return yield null;
  }
  if (bytes > 0) yield taken();
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
