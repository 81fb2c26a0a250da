/** Sizes of images, as requests write them. Pure. */
import type { ImageSize, RequestedImageSize } from "../core/images/image-generation.js";

/** Reads a size such as `512x512`; null for `auto`. */
export function requestedPixels(size: string | null | undefined): RequestedImageSize | null {
  return size == null || size === "auto" ? null : { ...sides(size, "x"), ratioOnly: false };
}

/** Reads two numbers with a separator. */
export function sides(text: string, separator: string): ImageSize {
  const [width = 1, height = 1] = text.split(separator).map(Number);
  return { width, height };
}
