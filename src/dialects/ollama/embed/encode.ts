/** Encodes the response of POST /api/embed. Pure. */
import type { z } from "zod";
import { toNanoseconds } from "../answer.js";
import type { ollamaEmbedAnswer } from "./response-schema.js";

type OllamaEmbedAnswer = z.infer<typeof ollamaEmbedAnswer>;

/** Returns the response without its vectors. @param model as the request names it */
export function encodeEmbedEnd(
  model: string,
  promptTokens: number,
  { elapsedMs, loadMs }: { readonly elapsedMs: number; readonly loadMs: number | null },
): Omit<OllamaEmbedAnswer, "embeddings"> {
  return {
    model,
    total_duration: toNanoseconds(elapsedMs),
    load_duration: toNanoseconds(loadMs),
    prompt_eval_count: promptTokens,
  };
}
