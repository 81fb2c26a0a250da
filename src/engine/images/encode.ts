import sharp from "sharp";
import type { ImageFormat } from "../../core/images/image-generation.js";
import type { RawImage } from "./image-model.js";

/** Quality of JPEG and WebP when none is requested. */
const defaultQuality = 90;

/** Encodes an image as a file, in sharp's own threads. @param quality of JPEG and WebP, 1 to 100; null: the default. */
export async function encodeImage(
  { pixels, width, height }: RawImage,
  format: ImageFormat,
  quality: number | null,
): Promise<Uint8Array> {
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  switch (format) {
    case "png":
      return image.png().toBuffer();
    case "jpeg":
      return image.jpeg({ quality: quality ?? defaultQuality }).toBuffer();
    case "webp":
      return image.webp({ quality: quality ?? defaultQuality }).toBuffer();
  }
}
