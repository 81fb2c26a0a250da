/** Encodes generated images as the response of POST /v1/images/generations. Pure. */
import type { z } from "zod";
import type { ImageFormat } from "../../core/images/image-generation.js";
import type { Ticks } from "../../core/money.js";
import type { ImageList, WireImage, WireImageQuality, imageCompletedEvent } from "./response-schema.js";

type WireImageUsage = Omit<ImageList["usage"], "cost_in_usd_ticks">;

type ImageCompletedEvent = z.infer<typeof imageCompletedEvent>;

/** A generated image with the values that the response contains. */
interface ImageResult {
  /** How the client gets the image. */
  readonly source: { readonly url: string } | { readonly base64: string };
  readonly promptUsed: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly promptTokens: number;
  readonly imageTokens: number;
}

export interface ImageResults {
  /** Unix seconds. */
  readonly created: number;
  /** At least one; all of one size. */
  readonly images: readonly ImageResult[];
  readonly format: ImageFormat;
  readonly quality: WireImageQuality;
  readonly costTicks: Ticks;
}

/** Returns the response body. */
export function encodeImages({ created, images, format, quality, costTicks }: ImageResults): ImageList {
  const { width, height } = images[0] ?? { width: 0, height: 0 };
  return {
    created,
    data: images.map((image) => encodeImage(image, format)),
    size: `${width}x${height}`,
    output_format: format,
    background: "opaque",
    quality,
    usage: { ...encodeUsage(images), cost_in_usd_ticks: costTicks },
  };
}

/** Returns the events of a stream, one for each image. The images must be data. */
export function encodeImageEvents(results: ImageResults): readonly ImageCompletedEvent[] {
  const { created, images, format, quality } = results;
  return images.flatMap((image) => {
    const { source, promptUsed, seed, width, height } = image;
    if ("url" in source) return [];
    return {
      type: "image_generation.completed" as const,
      b64_json: source.base64,
      created_at: created,
      size: `${width}x${height}`,
      output_format: format,
      background: "opaque" as const,
      quality,
      revised_prompt: promptUsed,
      seed,
      usage: encodeUsage([image]),
    };
  });
}

/** The prompt counts once for each image: the model reads it anew. */
function encodeUsage(images: readonly ImageResult[]): WireImageUsage {
  const input = images.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  const output = images.reduce((sum, { imageTokens }) => sum + imageTokens, 0);
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input, image_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { text_tokens: 0, image_tokens: output },
    total_tokens: input + output,
  };
}

function encodeImage(
  { source: by, promptUsed: promptRead, seed }: ImageResult,
  format: ImageFormat,
): WireImage {
  const data = "url" in by ? { url: by.url } : { b64_json: by.base64 };
  return { ...data, revised_prompt: promptRead, mime_type: `image/${format}`, seed };
}
