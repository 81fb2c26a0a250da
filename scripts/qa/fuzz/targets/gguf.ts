import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { preflightGguf } from "../../../../src/models/gguf.js";
import { readModelKind } from "../../../../src/models/gguf/pooling.js";
import { bytesPerToken } from "../../../../src/models/memory.js";
import { encodeHeader, type GgufEntryValue } from "../../../../test/kit/models/gguf-writer/encode.js";
import { modelHeader } from "../../../../test/kit/models/gguf-writer.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

/** In the folder of the process, which is removed after it. */
const path = join(process.cwd(), "fuzzed.gguf");

const vocabulary: Readonly<Record<string, GgufEntryValue | null>> = {
  "tokenizer.ggml.tokens": { aggregateArrays: "string", values: ["a", "", "<0x0A>"] },
  "tokenizer.ggml.token_type": { aggregateArrays: "i32", values: [1, 3, 6] },
  "tokenizer.ggml.merges": { aggregateArrays: "string", values: ["a b"] },
  "tokenizer.ggml.eos_token_id": { type: "u32", value: 1 },
  "tokenizer.ggml.padding_token_id": null,
};
const others: Readonly<Record<string, GgufEntryValue>> = {
  "qwen3.attention.head_count": { aggregateArrays: "u32", values: [2, 0] },
  "qwen3.expert_count": { type: "u32", value: 4 },
  "qwen3.expert_used_count": { type: "u32", value: 2 },
  "qwen3.rope.scaling.type": { type: "string", value: "yarn" },
  "general.alignment": { type: "u32", value: 32 },
  "split.count": { type: "u16", value: 1 },
  long: { type: "string", value: "x".repeat(64) },
  wide: { type: "u64", value: 1n },
  flags: { aggregateArrays: "bool", values: [true] },
};

/** Small models that are accepted, the weights of which are zeros. */
function seeds(): readonly Uint8Array[] {
  return [
    model({ chatTemplate: "{{ messages }}", metadata: vocabulary }),
    model({ chatTemplate: null, metadata: { ...vocabulary, ...others } }),
    encodeHeader({ version: 2, metadata: new Map(), tensors: [] }),
  ];
}

function model(changes: Parameters<typeof modelHeader>[0]): Buffer {
  const { metadata } = modelHeader({ layers: 1, embedding: 32, feedForward: 32, name: "m", ...changes });
  const tensors = [
    { name: "output_norm.weight", dimensions: [8], type: 0, bytes: 32 },
    { name: "token_embd.weight", dimensions: [32, 3], type: 8, bytes: 102 },
    { name: "output.weight", dimensions: [2, 2, 2], type: 1, bytes: 16 },
  ];
  return Buffer.concat([encodeHeader({ metadata, tensors }), Buffer.alloc(32 + 128 + 32)]);
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
      return toLabel(result.reason);
    }
    const { header } = result;
    check(header.bytes === input.length, () => `the size is ${header.bytes}`);
    const bytes = bytesPerToken(readModelKind(header.metadata), header.metadata);
    check(Number.isFinite(bytes) && bytes >= 0, () => `a token takes ${bytes} bytes of memory`);
    return "accepted";
  },
};
