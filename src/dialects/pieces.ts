/** What stands in a message piece by piece, put together. Pure. */
import type { Message } from "../core/generation.js";
import type { ImageDetail, MessageImage } from "../core/images.js";
import { wellFormed } from "./well-formed.js";

/** A text, or an image in its place. */
export type Piece = string | Omit<MessageImage, "at">;

/** The content of a message, and its images where it has any. */
export type Content = Pick<Message, "content" | "images">;

/** Puts pieces together. @param between stands between any two that are not empty. */
export function together(pieces: readonly Piece[], between = ""): Content {
  const images: MessageImage[] = [];
  let content = "";
  /** What follows the last image: halves of a character that two texts make together are one again. */
  let text = "";
  for (const [index, piece] of pieces.filter((each) => each !== "").entries()) {
    if (index > 0) text += between;
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    content += wellFormed(text);
    text = "";
    images.push({ ...piece, at: content.length });
  }
  return contentOf(content + wellFormed(text), images);
}

/** Content with a text before it. */
export function prefixed(prefix: string, { content, images = [] }: Content): Content {
  return contentOf(
    prefix + content,
    images.map((image) => ({ ...image, at: image.at + prefix.length })),
  );
}

/** How closely an image is to be looked at; without a word of it, as closely as suits. */
export function detailOf(...words: readonly (ImageDetail | null | undefined)[]): ImageDetail {
  return words.find((word) => word != null) ?? "auto";
}

function contentOf(content: string, images: readonly MessageImage[]): Content {
  return { content, ...(images.length === 0 ? {} : { images }) };
}
