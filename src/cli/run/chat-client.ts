/** Chats with a model of a server over its public API. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import type { WireLanguageModels } from "../../http/inference/models/language-models.js";
import { askServer, openAnswer, ServerError, type ChatServer } from "../server/client.js";
import { nameFile, toWireMessage, type ChatMessage } from "./messages.js";

export type ChatModel = WireLanguageModels["models"][number];

export interface ChatPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

const chunk = z.object({
  choices: z.array(
    z.object({ delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }) }),
  ),
});
const failure = z.object({ error: z.object({ message: z.string() }) });

/** Returns the models that the key may chat with. @throws Error with the server's message. */
export async function listChatModels(server: ChatServer): Promise<readonly ChatModel[]> {
  const { models } = await askServer<Pick<WireLanguageModels, "models">>(server, "/v1/language-models");
  return models;
}

/**
 * Streams one response.
 * @throws Error with the server's message if it returns an error; the signal's reason if aborted.
 */
export async function* streamAnswer(
  server: ChatServer,
  model: string,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
  const response = await openAnswer(server, "/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages: messages.map(toWireMessage), stream: true }),
    signal,
  }).catch((thrown: unknown) => {
    throw thrown instanceof ServerError ? new ServerError(nameFile(thrown.message, messages)) : thrown;
  });
  if (response.body === null) return;
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const frame of frames) {
    if (frame.data === "[DONE]") return;
    yield* listDeltas(JSON.parse(frame.data));
  }
}

function* listDeltas(data: unknown): Generator<ChatPiece> {
  const failed = failure.safeParse(data);
  if (failed.success) throw new Error(failed.data.error.message);
  for (const { delta } of chunk.parse(data).choices) {
    if (delta.reasoning_content) yield { kind: "reasoning", text: delta.reasoning_content };
    if (delta.content) yield { kind: "text", text: delta.content };
  }
}
