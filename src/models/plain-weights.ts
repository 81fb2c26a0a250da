import type { GgufMetadata } from "./gguf/metadata.js";

/** Keys of models that are more than attention and feed-forward layers, without the architecture before them. */
const beyondAttention = [
  /^attention\.kv_lora_rank$/,
  /^(shortconv|ssm|wkv|kda)\./,
  /^(token_shift_count|convnext)\b/,
];

/**
 * Returns whether a model computes with latent attention, convolutions or a state. llama.cpp multiplies some of their weights in ways that
 * the layout of weights for Intel's AMX does not support: it gives no numbers (LFM 2) or ends the process (DeepSeek 2), measured.
 */
export function needsPlainWeights({ values }: GgufMetadata): boolean {
  const prefix = `${String(values.get("general.architecture"))}.`;
  return [...values.keys()].some(
    (key) => key.startsWith(prefix) && beyondAttention.some((part) => part.test(key.slice(prefix.length))),
  );
}
