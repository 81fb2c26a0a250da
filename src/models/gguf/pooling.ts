/** What a GGUF header says about vectors: how the vectors of the tokens become one, and so the purpose of the model. */
import { isEncoder } from "../../core/embeddings/encoders.js";
import { isGgufKind, type ModelKind } from "../../core/model.js";
import type { GgufMetadata } from "./metadata.js";

/** Names of llama.cpp's numbers for `pooling_type`, in their order. */
export const poolings = ["none", "mean", "cls", "last", "rank"] as const;
type Pooling = (typeof poolings)[number];

/** Returns how the vectors of the tokens become one; null if the header does not say. */
function readPooling({ values }: GgufMetadata): Pooling | null {
  const architecture = values.get("general.architecture");
  const type = values.get(`${String(architecture)}.pooling_type`);
  return typeof type === "number" ? (poolings[type] ?? null) : null;
}

/** Returns the purpose of a GGUF file without a manifest: what its pooling is for, `embedding` for an encoder, else `chat`. */
export function readModelKind(metadata: GgufMetadata): "chat" | "embedding" | "rerank" {
  const pooling = readPooling(metadata);
  if (pooling === "rank") return "rerank";
  if (pooling !== null && pooling !== "none") return "embedding";
  return isEncoder(String(metadata.values.get("general.architecture"))) ? "embedding" : "chat";
}

/** Returns a public clause if the file cannot serve the purpose that its manifest states, or null. */
export function kindProblem(kind: ModelKind, metadata: GgufMetadata): string | null {
  const pooling = readPooling(metadata);
  const possible = readModelKind(metadata);
  if (!isGgufKind(kind)) return null;
  if (kind === "chat" && isEncoder(String(metadata.values.get("general.architecture"))))
    return "it is an encoder, which cannot generate text.";
  if (kind === "rerank" && possible !== "rerank")
    return "it is not a rerank model: its pooling_type is not 4 (rank).";
  if (kind === "embedding" && possible === "rerank")
    return "it is a rerank model: its pooling_type is 4 (rank).";
  if (kind === "embedding" && (pooling === null || pooling === "none"))
    return "it does not say in its pooling_type how the vectors of its tokens become one.";
  return null;
}

/** Whether an input is read in one piece: by encoders, and where more than the last token is pooled. */
export function readsWhole(metadata: GgufMetadata): boolean {
  return isEncoder(String(metadata.values.get("general.architecture"))) || readPooling(metadata) !== "last";
}
