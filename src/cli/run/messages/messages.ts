/** The messages of a chat in the terminal, and how the API is sent them. Pure. */
import type { soundFormats } from "../../../core/prompt/sounds.js";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly MessagePart[];
}

/** A part of a message; `path` is how the person wrote it. */
export type MessagePart = { readonly type: "text"; readonly text: string } | MediaPart;

export type MediaPart =
  | { readonly type: "image"; readonly path: string; readonly url: string }
  | {
      readonly type: "sound";
      readonly path: string;
      readonly base64: string;
      readonly format: (typeof soundFormats)[number];
    };

/** Returns a message as chat completions takes it. */
export function toWireMessage({ role, content }: ChatMessage): object {
  return { role, content: typeof content === "string" ? content : content.map(toWirePart) };
}

function toWirePart(part: MessagePart): object {
  if (part.type === "text") return part;
  if (part.type === "image") return { type: "image_url", image_url: { url: part.url } };
  return { type: "input_audio", input_audio: { data: part.base64, format: part.format } };
}

/** Returns the images and sounds of messages. */
export function listMedia(messages: readonly ChatMessage[]): readonly MediaPart[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => (part.type === "text" ? [] : [part])),
  );
}

/** Returns an error of the API with the path of the file in the place of the field that has it. */
export function nameFile(error: string, messages: readonly ChatMessage[]): string {
  return error.replaceAll(
    /\bmessages\.(\d+)\.content\.(\d+)(?:\.[a-z_]+)*/g,
    (field: string, message: string, at: string) => {
      const content = messages[Number(message)]?.content ?? "";
      const part = typeof content === "string" ? undefined : content[Number(at)];
      return part === undefined || part.type === "text" ? field : `'${part.path}'`;
    },
  );
}
