/** Checks a conversation before it is sent, so that the error names the file. */
import { sizeText } from "../../core/report/size-text.js";
import type { ChatServer } from "../server/client.js";
import { listChatModels } from "./chat-client.js";
import { listMedia, type ChatMessage } from "./messages/messages.js";

/** A model with a projector for sound that `hearth pull` finds. */
const hearingExample = "ggml-org/Voxtral-Mini-3B-2507-GGUF";

/** @throws Error that names the model, the first sound, and what helps, when the model does not read sound. */
export async function requireHearing(
  server: ChatServer,
  model: string,
  messages: readonly ChatMessage[],
): Promise<void> {
  const sound = listMedia(messages).find(({ type }) => type === "sound");
  if (sound === undefined) return;
  // A key that may list no models leaves the answer to the server.
  const models = await listChatModels(server).catch(() => []);
  const own = models.find(({ id, aliases }) => id === model || aliases.includes(model));
  // An alias may be a pattern: the server decides then.
  if (own === undefined || own.input_modalities.includes("audio")) return;
  const others = models.filter(({ input_modalities: reads }) => reads.includes("audio")).map(({ id }) => id);
  const help =
    others.length > 0
      ? `these models do: ${others.join(", ")}`
      : `no model here does; \`hearth pull ${hearingExample}\` brings one`;
  throw new Error(`${model} does not read sound, so '${sound.path}' was not sent; ${help}`);
}

/** @throws Error when the request is larger than the server takes. */
export function requireSize(messages: readonly ChatMessage[], bodyBytesMax: number): void {
  const media = listMedia(messages);
  const sizes = media.map((part) => (part.type === "image" ? part.url : part.base64).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= bodyBytesMax) return;
  const largest = media[sizes.indexOf(Math.max(...sizes))];
  throw new Error(
    `the files of the conversation have ${sizeText(bytes)} in base64, '${largest?.path ?? ""}' the most; ` +
      `a request may have ${sizeText(bodyBytesMax)} (setting bodyBytesMax)`,
  );
}
