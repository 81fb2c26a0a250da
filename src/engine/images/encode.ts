import sharp from "sharp";
import type { ImageFormat } from "../../core/image-generation.js";
import type { Painting } from "./painter.js";

/** JPEG and WebP where no quality is asked for. */
const usualQuality = 90;

/** Makes a file of an image, in the runtime's own threads. @param quality 1 to 100, of JPEG and WebP; null: as usual. */
export async function encodeImage(
  { pixels, width, height }: Painting,
  format: ImageFormat,
  quality: number | null,
): Promise<Uint8Array> {
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  switch (format) {
    case "png":
      return image.png().toBuffer();
    case "jpeg":
      return image.jpeg({ quality: quality ?? usualQuality }).toBuffer();
    case "webp":
      return image.webp({ quality: quality ?? usualQuality }).toBuffer();
  }
}
