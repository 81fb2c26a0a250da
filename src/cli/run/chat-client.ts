/** Chats with a model of a server over its public API. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import type { WireLanguageModels } from "../../http/inference/models/language-models.js";
import { askServer, openAnswer, ServerError, type ChatServer } from "../server/client.js";
import { nameFile, toWireMessage, type ChatMessage } from "./messages/messages.js";

export type ChatModel = WireLanguageModels["models"][number];

export interface ChatPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

export interface ChatUsage {
  /** Cached ones included. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Reasoning included. */
  readonly answerTokens: number;
}

/** What is asked. */
export interface AskedChat {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Other fields of chat completions. */
  readonly fields?: object;
  /** Called when the server reports what the answer took. */
  readonly onUsage?: (usage: ChatUsage) => void;
}

const chunk = z.object({
  choices: z.array(
    z.object({ delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }) }),
  ),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number() }),
      completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
    })
    .nullish(),
});
const failure = z.object({ error: z.object({ message: z.string() }) });

/** Returns the models that the key may chat with. @throws Error with the server's message. */
export async function listChatModels(server: ChatServer): Promise<readonly ChatModel[]> {
  const { models } = await askServer<WireLanguageModels>(server, "/v1/language-models");
  return models;
}

/**
 * Streams one response.
 * @throws Error with the server's message if it returns an error; the signal's reason if aborted.
 */
export async function* streamAnswer(
  server: ChatServer,
  { model, messages, fields = {}, onUsage }: AskedChat,
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
  const usage = onUsage === undefined ? {} : { stream_options: { include_usage: true } };
  const response = await openAnswer(server, "/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages: messages.map(toWireMessage), ...fields, stream: true, ...usage }),
    signal,
  }).catch((thrown: unknown) => {
    throw thrown instanceof ServerError
      ? new ServerError(nameFile(thrown.message, messages), thrown.status)
      : thrown;
  });
  if (response.body === null) return;
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    if (frame.data === "[DONE]") return;
    yield* listDeltas(JSON.parse(frame.data), onUsage);
  }
}

function* listDeltas(data: unknown, onUsage: AskedChat["onUsage"]): Generator<ChatPiece> {
  const failed = failure.safeParse(data);
  if (failed.success) throw new Error(failed.data.error.message);
  const { choices, usage } = chunk.parse(data);
  if (usage != null)
    onUsage?.({
      promptTokens: usage.prompt_tokens,
      cachedTokens: usage.prompt_tokens_details.cached_tokens,
      answerTokens: usage.completion_tokens + usage.completion_tokens_details.reasoning_tokens,
    });
  for (const { delta } of choices) {
    if (delta.reasoning_content) yield { kind: "reasoning", text: delta.reasoning_content };
    if (delta.content) yield { kind: "text", text: delta.content };
  }
}
