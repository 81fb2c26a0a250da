import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { HearthError } from "../../../../src/core/errors.js";
import type { BatchError, BatchLine } from "../../../../src/jobs/batches/batch.js";
import { readBatchInput } from "../../../../src/jobs/batches/input.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

const endpoint = "/v1/chat/completions";
const linesMax = 4;
const lineBytesMax = 512;

const createLine = (id: string, body: string, url = endpoint) =>
  `{"custom_id":"${id}","method":"POST","url":"${url}","body":${body}}`;
const body = '{"model":"m","messages":[{"role":"user","content":"Hello"}]}';

export const target: FuzzTarget = {
  guarantee:
    "a file of lines gives its requests, or errors that name the line, within the limits and wherever its bytes are cut",
  format: "text",
  parts: /[^\n]*\n?/g,
  bytesMax: 4096,
  msMax: 2_000,
  corpus: "batch-lines",
  words: [
    "\n",
    "\r\n",
    "\ufeff",
    '"custom_id":',
    '"method":"POST"',
    `"url":"${endpoint}"`,
    '"body":',
    '"model":"m"',
    "9007199254740993",
  ],
  seeds: () =>
    [
      `${createLine("a", body)}\n${createLine("b", body)}\n`,
      `\ufeff${createLine("a", body)}\r\n\r\n${createLine("a", body)}`,
      `${createLine("a", '{"model":"m","seed":9007199254740993}')}\n${createLine("b", '{"model":"other"}')}`,
      `${createLine("a", body, "/v1/embeddings")}\n{}\n[]\nnull\n"x"\n{"custom_id":1}`,
      `${createLine("a", '{"model":"missing"}')}\n`,
      Array.from({ length: 6 }, (_, index) => createLine(String(index), body)).join("\n"),
      "\n \n",
    ].map((text) => Buffer.from(text)),
  async run(input) {
    const whole = await read(input, input.length);
    checkLines(whole);
    const pieces = await read(input, 1 + (input.length % 11));
    check(isDeepStrictEqual(pieces, whole), () => "in pieces the lines are others than as a whole");
    return toLabel(whole.map((line) => ("code" in line ? line.code : "line")).join(" "));
  },
};

async function read(input: Uint8Array, chunkBytes: number): Promise<readonly (BatchLine | BatchError)[]> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < input.length; at += chunkBytes)
    chunks.push(Buffer.from(input.subarray(at, at + chunkBytes)));
  const lines: (BatchLine | BatchError)[] = [];
  const rules = { endpoint, linesMax, lineBytesMax, checkModel, parseJson };
  for await (const line of readBatchInput(Readable.from(chunks), rules)) lines.push(line);
  return lines;
}

function checkModel(name: string): void {
  if (name === "missing") throw new HearthError("not_found", "The model does not exist.");
}

function parseJson(bytes: Buffer): Promise<{ value: unknown; text: string }> {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return Promise.resolve({ value: JSON.parse(text) as unknown, text });
}

function checkLines(lines: readonly (BatchLine | BatchError)[]): void {
  check(lines.length > 0, () => "there is neither a request nor an error");
  const requests = lines.filter((line): line is BatchLine => !("code" in line));
  check(requests.length <= linesMax, () => `there are ${requests.length} requests`);
  check(
    new Set(requests.map(({ customId }) => customId)).size === requests.length,
    () => "an id is there twice",
  );
  for (const [index, { line, body: json }] of requests.entries()) {
    check(line === index, () => `request ${index} has the number ${line}`);
    const value = JSON.parse(json) as { readonly model?: unknown };
    check(typeof value.model === "string", () => `the body is ${json}`);
  }
}
