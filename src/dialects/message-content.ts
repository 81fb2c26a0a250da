/** Joins the parts of a message into its content. Pure. */
import type { Message } from "../core/generation.js";
import type { ImageDetail, MessageImage } from "../core/images/images.js";
import { wellFormed } from "./well-formed.js";

/** A text or an image. */
export type MessageContentPart = string | Omit<MessageImage, "at">;

/** The text of a message and its images, if any. */
export type MessageContent = Pick<Message, "content" | "images">;

/** Joins parts; empty texts are skipped. @param separator text between two parts. */
export function joinParts(parts: readonly MessageContentPart[], separator = ""): MessageContent {
  const images: MessageImage[] = [];
  let content = "";
  /** Text after the last image. Surrogates are checked only once it is complete, since two parts may split a pair. */
  let text = "";
  for (const [index, part] of parts.filter((each) => each !== "").entries()) {
    if (index > 0) text += separator;
    if (typeof part === "string") {
      text += part;
      continue;
    }
    content += wellFormed(text);
    text = "";
    images.push({ ...part, at: content.length });
  }
  return toContent(content + wellFormed(text), images);
}

/** Returns the content with a text before it. */
export function withPrefix(prefix: string, { content, images = [] }: MessageContent): MessageContent {
  return toContent(
    prefix + content,
    images.map((image) => ({ ...image, at: image.at + prefix.length })),
  );
}

/** Returns the first image detail that is given; `auto` if there is none. */
export function chooseImageDetail(...details: readonly (ImageDetail | null | undefined)[]): ImageDetail {
  return details.find((detail) => detail != null) ?? "auto";
}

function toContent(content: string, images: readonly MessageImage[]): MessageContent {
  return { content, images: images.length === 0 ? undefined : images };
}
