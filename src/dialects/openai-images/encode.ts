/** What was drawn -> the wire's answer. Pure. */
import type { ImageFormat } from "../../core/image-generation.js";
import type { Ticks } from "../../core/money.js";
import type { ImageList, WireImage } from "./wire.js";

/** An image as the answer tells it. */
export interface ToldImage {
  /** How it is had. */
  readonly by: { readonly url: string } | { readonly base64: string };
  readonly promptRead: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
}

export interface ToldImages {
  /** Unix seconds. */
  readonly created: number;
  /** At least one; all of one size. */
  readonly images: readonly ToldImage[];
  readonly format: ImageFormat;
  readonly costTicks: Ticks;
}

/** The answer's body. */
export function encodeImages({ created, images, format, costTicks }: ToldImages): ImageList {
  const { width, height } = images[0] ?? { width: 0, height: 0 };
  return {
    created,
    data: images.map((image) => encodeImage(image, format)),
    size: `${width}x${height}`,
    output_format: format,
    usage: { cost_in_usd_ticks: costTicks },
  };
}

function encodeImage({ by, promptRead, seed }: ToldImage, format: ImageFormat): WireImage {
  const place = "url" in by ? { url: by.url } : { b64_json: by.base64 };
  return { ...place, revised_prompt: promptRead, mime_type: `image/${format}`, seed };
}
