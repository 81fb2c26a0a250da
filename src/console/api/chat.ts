/** Chat models, and streamed chat completions. */
import type { z } from "zod";
import type { ChatChunk } from "../../dialects/openai-chat/response-schema.js";
import type { languageModelList } from "../../http/inference/models/language-models.js";
import { ApiError, get, stream } from "../lib/client.js";

export type LanguageModel = z.infer<typeof languageModelList>["models"][number];

/** What a stream has in place of a chunk when the answer fails after it has begun. */
interface StreamError {
  readonly error: { readonly message: string };
}

export async function listLanguageModels(signal?: AbortSignal): Promise<readonly LanguageModel[]> {
  const { models } = await get<z.infer<typeof languageModelList>>("/v1/language-models", {}, signal);
  return models;
}

/** Streams an answer. The server charges what was generated, also when `signal` aborts. @throws ApiError, AbortError */
export async function* streamChat(body: unknown, signal: AbortSignal): AsyncGenerator<ChatChunk> {
  const events = stream<ChatChunk | StreamError>("POST", "/v1/chat/completions", { body, signal });
  for await (const event of events) {
    if ("error" in event) throw new ApiError(500, event.error.message, null);
    yield event;
  }
}
