import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preflightGguf } from "../../../src/models/gguf.js";
import { kvBytesPerToken } from "../../../src/models/memory.js";
import { encodeHeader } from "../../../test/gguf-writer/encode.js";
import { modelHeader } from "../../../test/gguf-writer.js";
import { check, labelOf, type FuzzTarget } from "../target.js";

const folder = mkdtempSync(join(tmpdir(), "hearth-fuzz-gguf-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "fuzzed.gguf");

/** Headers of models with a small vocabulary; the weights that they claim are zeros. */
function seeds(): readonly Uint8Array[] {
  const header = modelHeader({ layers: 1, embedding: 32, feedForward: 32, words: ["a"] });
  const metadata = new Map(header.metadata);
  for (const [key, value] of metadata)
    if ("arrayOf" in value) metadata.set(key, { arrayOf: value.arrayOf, values: value.values.slice(0, 8) });
  const tensors = [{ name: "token_embd.weight", dimensions: [8, 1], type: 0, bytes: 32 }];
  const small = encodeHeader({ metadata, tensors });
  return [
    Buffer.concat([small, Buffer.alloc(32)]),
    encodeHeader({ version: 2, metadata: new Map(), tensors: [] }),
    Buffer.from("GGUF"),
  ];
}

export const target: FuzzTarget = {
  guarantee: "a file is accepted or refused for a stated reason, whatever its bytes are",
  format: "bytes",
  bytesMax: 4096,
  msMax: 5000,
  corpus: "gguf",
  seeds,
  async run(input) {
    writeFileSync(path, input);
    const result = await preflightGguf(path);
    if (!result.ok) {
      check(
        /^[\x20-\x7e]{1,300}\.$/.test(result.reason),
        () => `the reason is no clean clause: ${result.reason}`,
      );
      // What the reader says of an error that is not its own, such as a TypeError.
      check(!result.reason.includes("cannot be read"), () => `the reader failed: ${result.reason}`);
      return labelOf(result.reason);
    }
    const { header } = result;
    check(header.bytes === input.length, () => `the size is ${header.bytes}`);
    const bytes = kvBytesPerToken(header.metadata);
    check(Number.isFinite(bytes) && bytes >= 0, () => `a token takes ${bytes} bytes of memory`);
    return "accepted";
  },
};
