import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { HearthError } from "../../../../src/core/errors.js";
import { BodyBudget } from "../../../../src/core/requests/body-budget.js";
import { readUpload } from "../../../../src/http/server/multipart.js";
import { createManualClock } from "../../../../test/kit/manual-clock.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

const boundary = "edge";
const kinds = ["malformed", "invalid_field", "invalid_value"];

/** A form with these parts, each a header and a content. */
function writeForm(parts: readonly (readonly [string, string])[]): Buffer {
  const text = parts.map(([head, content]) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join("");
  return Buffer.from(`${text}--${boundary}--\r\n`, "latin1");
}

const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const file = (filename: string) => `${field("file")}; filename="${filename}"\r\nContent-Type: text/plain`;

export const target: FuzzTarget = {
  guarantee: "a form gives its file and fields within the limits, or an error of the client; nothing hangs",
  format: "bytes",
  bytesMax: 4096,
  msMax: 2_000,
  corpus: "upload",
  words: [
    "\r\n",
    `--${boundary}`,
    `--${boundary}--`,
    "Content-Disposition: form-data; ",
    "Content-Type: ",
    "Content-Transfer-Encoding: base64",
    "multipart/mixed; boundary=inner",
    'name="file"',
    'name="__proto__"',
    'filename="',
    "filename*=utf-8''%41",
    "charset=utf-16",
    "=?utf-8?q?=41?=",
    "\0",
  ],
  seeds: () => [
    writeForm([
      [field("purpose"), "batch"],
      [file("notes.txt"), "Hello"],
    ]),
    writeForm([
      [file("a.bin"), "\x00\xff"],
      [field("expires_after[anchor]"), "created_at"],
      [field("expires_after[seconds]"), "3600"],
    ]),
    writeForm([[file("../../etc/passwd"), ""]]),
    writeForm([[`${field("file")}; filename*=utf-8''%e2%82%ac.txt`, "1"]]),
    writeForm([
      [file("one"), "1"],
      [file("two"), "2"],
    ]),
    Buffer.from(`--${boundary}--`),
  ],
  async run(input) {
    const whole = await readForm(input, input.length);
    const pieces = await readForm(input, 1 + ((input[0] ?? 0) % 7));
    check(whole === pieces, () => `in pieces it is ${pieces}, as a whole ${whole}`);
    return toLabel(whole);
  },
};

/** Reads the form in chunks of this size. @returns what it is, as a text */
async function readForm(input: Uint8Array, chunkBytes: number): Promise<string> {
  const chunks = Array.from({ length: Math.ceil(input.length / Math.max(chunkBytes, 1)) }, (_, index) =>
    Buffer.from(input.subarray(index * chunkBytes, (index + 1) * chunkBytes)),
  );
  const req = Object.assign(Readable.from(chunks, { objectMode: false }), {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    httpVersion: "1.1",
    complete: true,
  });
  let bytes = 0;
  try {
    const { filename, mimeType, fields } = await readUpload(
      { req: req as never, res: { once: () => undefined } as unknown as ServerResponse },
      new BodyBudget(createManualClock(0), 1_048_576),
      (chunk) => {
        bytes += chunk.length;
        return Promise.resolve();
      },
    );
    check(bytes <= input.length, () => "the file has more bytes than the form");
    check(/^\P{Cc}{1,255}$/u.test(filename), () => `the name is ${JSON.stringify(filename)}`);
    check(/^[\w.+-]+\/[\w.+-]+$/.test(mimeType), () => `the type is ${JSON.stringify(mimeType)}`);
    const names = Object.keys(fields);
    check(names.length <= 20, () => `there are ${names.length} fields`);
    check(
      Object.values(fields).every((value) => value.length <= 4096),
      () => "a field is too long",
    );
    return `file ${filename} ${mimeType} of ${bytes} bytes, fields ${JSON.stringify(names)}`;
  } catch (thrown) {
    if (!(thrown instanceof HearthError)) throw thrown;
    check(kinds.includes(thrown.kind), () => `the error is ${thrown.kind}: ${thrown.message}`);
    return `refused ${thrown.kind}`;
  } finally {
    req.destroy();
  }
}
