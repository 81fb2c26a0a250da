import { describe, expect, it } from "vitest";
import { preflightGguf } from "../../src/models/gguf.js";
import { modelBytes, modelHeader, type ModelSpec } from "../kit/models/gguf-writer.js";
import { encodeHeader, type GgufEntryValue } from "../kit/models/gguf-writer/encode.js";
import { useFolder } from "./folder.js";
import { refusalOf } from "./refusal.js";

const folder = useFolder();
const refusal = (bytes: Uint8Array) => refusalOf(folder, bytes);
const withMetadata = (metadata: ModelSpec["metadata"]) => modelBytes({ metadata });
const uint = (value: number): GgufEntryValue => ({ type: "u32", value });

/** A vocabulary of these tokens; a token in the form of a byte token becomes one. */
const tokens = (values: readonly string[]): ModelSpec["metadata"] => ({
  "tokenizer.ggml.tokens": { aggregateArrays: "string", values },
  "tokenizer.ggml.token_type": {
    aggregateArrays: "i32",
    values: values.map((text) => (text.startsWith("<0x") ? 6 : 1)),
  },
  "tokenizer.ggml.eos_token_id": uint(0),
});

describe("a header that would abort the process in native code", () => {
  it.each([
    ["qwen3.attention.head_count", 0, "attention.head_count is 0"],
    ["qwen3.block_count", 0, "block_count is 0"],
    ["qwen3.block_count", 513, "more than the 512"],
    ["qwen3.block_count", 100_000, "more than the 512"],
    ["qwen3.context_length", 0, "context_length is 0"],
    ["qwen3.embedding_length", 0, "embedding_length is 0"],
    ["qwen3.expert_count", 5000, "expert_count is 5,000"],
    ["qwen3.expert_count", 4, "expert_used_count is 0"],
    ["qwen3.expert_used_count", 4, "expert_used_count is 4"],
    ["qwen3.nextn_predict_layers", 3, "nextn_predict_layers is 3"],
    ["qwen3.attention.head_count_kv", 0, "attention.head_count_kv is 0"],
    ["qwen3.attention.head_count_kv", 3, "2 heads are no multiple of its 3 key heads"],
    ["qwen3.attention.key_length", 0, "attention.key_length is 0"],
    ["qwen3.attention.value_length", 0, "attention.value_length is 0"],
    ["qwen3.rope.dimension_count", 999, "rope.dimension_count is 999"],
    ["qwen3.rope.dimension_count", 31, "rope.dimension_count is 31"],
    ["qwen3.rope.dimension_count", 16, "rope.dimension_count is 16"],
    ["qwen3.feed_forward_length", 0, "feed_forward_length is 0"],
    ["qwen3.pooling_type", 5, "pooling_type is 5, expected 0 to 4"],
  ])("is rejected for %s of %i", async (key, value, expected) => {
    expect(await refusal(withMetadata({ [key]: uint(value) }))).toContain(expected);
  });

  it("is rejected without a feed-forward length", async () => {
    expect(await refusal(withMetadata({ "qwen3.feed_forward_length": null }))).toContain(
      "feed_forward_length is 0",
    );
  });

  it("is rejected without a context length or architecture, and for an unknown rope scaling", async () => {
    expect(await refusal(withMetadata({ "qwen3.context_length": null }))).toContain(
      "does not say its context_length",
    );
    expect(await refusal(withMetadata({ "general.architecture": null }))).toContain("no architecture");
    const scaling: GgufEntryValue = { type: "string", value: "magic" };
    expect(await refusal(withMetadata({ "qwen3.rope.scaling.type": scaling }))).toContain(
      "'magic' is unknown",
    );
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("is rejected for an epsilon of %s", async (value) => {
    const metadata = { "qwen3.attention.layer_norm_rms_epsilon": { type: "f32", value } } as const;
    expect(await refusal(withMetadata(metadata))).toContain(
      "layer_norm_rms_epsilon is not a number of 0 or more",
    );
  });

  it.each([
    ["output_norm.weight", 1],
    ["output_norm.weight", 8],
    ["token_embd.weight", 9],
    ["token_embd.weight", 15],
    ["token_embd.weight", 26],
  ])("is rejected for the tensor %s of type %i, with its name", async (name, type) => {
    const header = modelHeader({ embedding: 256 });
    const tensors = header.tensors.map((tensor) => (tensor.name === name ? { ...tensor, type } : tensor));
    const bytes = Buffer.concat([encodeHeader({ ...header, tensors }), Buffer.alloc(2_000_000)]);
    expect(await refusal(bytes)).toBe(
      `tensor '${name}' has a type (${type}) that llama.cpp cannot compute with.`,
    );
  });

  it("is rejected for a tokenizer that accepts no text, or lacks byte tokens to fall back to", async () => {
    const tokenizer = (value: string) => ({ "tokenizer.ggml.model": { type: "string", value } }) as const;
    expect(await refusal(withMetadata(tokenizer("none")))).toContain("tokenizer 'none' is unknown");
    expect(await refusal(withMetadata(tokenizer("llama")))).toContain(
      "lacks tokens for some of the 256 bytes",
    );
    const texts = Array.from(
      { length: 256 },
      (_, byte) => `<0x${byte.toString(16).padStart(2, "0").toUpperCase()}>`,
    );
    const complete = { ...tokenizer("llama"), ...tokens(texts) };
    expect(await preflightGguf(await folder.write("good.gguf", withMetadata(complete)))).toMatchObject({
      ok: true,
    });
  });

  it("is rejected with the name of an architecture that the engine does not know", async () => {
    const architecture: GgufEntryValue = { type: "string", value: "made-up-9" };
    expect(await refusal(withMetadata({ "general.architecture": architecture }))).toContain(
      "its architecture 'made-up-9' is unknown to the engine.",
    );
  });

  it("C8: is rejected with the reason for a projector and a LoRA adapter", async () => {
    const architecture: GgufEntryValue = { type: "string", value: "clip" };
    expect(await refusal(withMetadata({ "general.architecture": architecture }))).toContain(
      "projector (mmproj)",
    );
    const type: GgufEntryValue = { type: "string", value: "adapter" };
    expect(await refusal(withMetadata({ "general.type": type }))).toContain("of type 'adapter'");
  });
});

describe("C2: the vocabulary", () => {
  it("C2: is rejected if absent or empty", async () => {
    expect(await refusal(withMetadata({ "tokenizer.ggml.tokens": null }))).toContain("has no vocabulary");
    expect(await refusal(withMetadata(tokens([])))).toContain("vocabulary is empty");
  });

  it("C2: accepts a byte token written <0x0A> and rejects one written <0x-1>", async () => {
    expect(await refusal(withMetadata(tokens(["a", "<0x-1>"])))).toContain("byte token 1 is not written as");
    const good = await folder.write("good.gguf", withMetadata(tokens(["a", "<0x0A>"])));
    expect(await preflightGguf(good)).toMatchObject({ ok: true });
  });

  it("C2: rejects duplicate tokens, except empty ones", async () => {
    expect(await refusal(withMetadata(tokens(["a", "b", "a"])))).toContain("the same token twice");
    const good = await folder.write("good.gguf", withMetadata(tokens(["a", "", "b", ""])));
    expect(await preflightGguf(good)).toMatchObject({ ok: true });
  });

  it("C2: rejects a token longer than the limit", async () => {
    expect(await refusal(withMetadata(tokens(["a", "x".repeat(70_000)])))).toContain(
      "token 1 claims a length of 70,000",
    );
  });

  it("C2: rejects a list of token types of another length", async () => {
    const types: GgufEntryValue = { aggregateArrays: "i32", values: [1, 1] };
    expect(await refusal(withMetadata({ "tokenizer.ggml.token_type": types }))).toContain(
      "has 2 entries for",
    );
  });

  it.each([321, 0xffffffff])("C2: rejects an end token %i outside the vocabulary", async (id) => {
    expect(await refusal(withMetadata({ "tokenizer.ggml.eos_token_id": uint(id) }))).toContain(
      "eos_token_id is",
    );
  });
});
