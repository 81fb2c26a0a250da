import { isEncoder } from "../core/embeddings/encoders.js";
import type { ModelKind } from "../core/model.js";
import type { GgufMetadata } from "./gguf/metadata.js";
import { readsWhole } from "./gguf/pooling.js";

/** Values of each token that llama.cpp holds while it embeds an input, in multiples of the embedding's length (measured). */
const activationsPerToken = 24;

/**
 * Returns the bytes of memory per token of context: of the KV cache, and for a model that reads an input in one piece of what is kept
 * of every token of it, for which llama.cpp reserves one value per token of the vocabulary, too.
 */
export function bytesPerToken(kind: ModelKind, metadata: GgufMetadata): number {
  const architecture = String(metadata.values.get("general.architecture"));
  const cache = isEncoder(architecture) ? 0 : kvBytesPerToken(metadata);
  if (kind === "chat" || !readsWhole(metadata)) return cache;
  const width = Number(metadata.values.get(`${architecture}.embedding_length`) ?? 0);
  return cache + 4 * ((metadata.tokens?.count ?? 0) + activationsPerToken * width);
}

/**
 * Returns the bytes of KV cache per token of context at 16 bits per value, from a GGUF header: keys and
 * values of all attention heads of all layers. A layer without heads has no cache that grows, as in hybrid
 * models. Returns 0 if the header lacks the sizes (a recurrent model has no such layer). Layers with a
 * sliding window count in full: their cache holds the whole context, so that any prefix can be reused.
 */
function kvBytesPerToken({ values }: GgufMetadata): number {
  const architecture = values.get("general.architecture");
  const number = (name: string): number | null => {
    const value = values.get(`${String(architecture)}.${name}`);
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
  };
  const layers = number("block_count");
  const heads = number("attention.head_count");
  const headWidth = heads === null ? null : (number("embedding_length") ?? 0) / heads;
  const keyWidth = number("attention.key_length") ?? headWidth;
  const valueWidth = number("attention.value_length") ?? headWidth;
  if (layers === null || keyWidth === null || valueWidth === null) return 0;
  const perLayer = values.get(`${String(architecture)}.attention.head_count_kv`);
  const kvHeads =
    typeof perLayer === "object" ? sum(perLayer) : layers * (number("attention.head_count_kv") ?? heads ?? 0);
  return Math.ceil(kvHeads * (keyWidth + valueWidth) * 2);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + (count > 0 ? count : 0), 0);
}
