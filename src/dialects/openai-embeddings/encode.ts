/** Encodes vectors as the response of POST /v1/embeddings. Pure. */
import type { z } from "zod";
import { toShortNumbers } from "../vector-numbers.js";
import type { embeddingList } from "./response-schema.js";

type EmbeddingList = z.infer<typeof embeddingList>;

export type VectorFormat = "float" | "base64";

/** Returns one entry of the response. */
export function encodeEmbedding(
  vector: Float32Array,
  index: number,
  format: VectorFormat,
): EmbeddingList["data"][number] {
  return {
    object: "embedding",
    index,
    embedding: format === "base64" ? toBase64(vector) : toShortNumbers(vector),
  };
}

/** Returns the response without its entries. @param model its id */
export function encodeEmbeddingUsage(
  model: string,
  { promptTokens, costTicks }: { readonly promptTokens: number; readonly costTicks: number },
): Omit<EmbeddingList, "data"> {
  return {
    object: "list",
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens, cost_in_usd_ticks: costTicks },
  };
}

/** Returns the 32-bit floats of a vector in little-endian order, in base64. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.byteLength);
  for (const [index, value] of vector.entries())
    bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString("base64");
}
