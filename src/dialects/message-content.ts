/** Joins the parts of a message into its content. Pure. */
import type { MessageSound } from "../core/prompt/sounds.js";
import type { MessageContent } from "../core/generation.js";
import type { ImageDetail, MessageImage } from "../core/images/images.js";
import { wellFormed } from "./well-formed.js";

/** A text, an image or a sound. */
export type MessageContentPart =
  string | Omit<MessageImage, "at"> | Omit<MessageSound, "at" | "imagesBefore">;

/** Joins parts; empty texts are skipped. @param separator text between two parts. */
export function joinParts(parts: readonly MessageContentPart[], separator = ""): MessageContent {
  const images: MessageImage[] = [];
  const sounds: MessageSound[] = [];
  let content = "";
  /** Text after the last image or sound. Surrogates are checked only once it is complete, since two parts may split a pair. */
  let text = "";
  for (const [index, part] of parts.filter((each) => each !== "").entries()) {
    if (index > 0) text += separator;
    if (typeof part === "string") {
      text += part;
      continue;
    }
    content += wellFormed(text);
    text = "";
    if ("url" in part) images.push({ ...part, at: content.length });
    else sounds.push({ ...part, at: content.length, imagesBefore: images.length });
  }
  return toContent(content + wellFormed(text), images, sounds);
}

/** Returns the content with a text before it. */
export function withPrefix(
  prefix: string,
  { content, images = [], sounds = [] }: MessageContent,
): MessageContent {
  const shift = <Part extends { readonly at: number }>(part: Part): Part => ({
    ...part,
    at: part.at + prefix.length,
  });
  return toContent(prefix + content, images.map(shift), sounds.map(shift));
}

/** Returns the first image detail that is given; `auto` if there is none. */
export function chooseImageDetail(...details: readonly (ImageDetail | null | undefined)[]): ImageDetail {
  return details.find((detail) => detail != null) ?? "auto";
}

function toContent(
  content: string,
  images: readonly MessageImage[],
  sounds: readonly MessageSound[],
): MessageContent {
  return {
    content,
    images: images.length === 0 ? undefined : images,
    sounds: sounds.length === 0 ? undefined : sounds,
  };
}
