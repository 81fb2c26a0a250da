/** Parses the request of POST /v1/images/generations into an ImageGenerationRequest. Pure. */
import type { RequestedImageSize, ImageGenerationRequest } from "../../core/image-generation.js";
import { unsupported, validFields } from "../field-error.js";
import { seed32 } from "../openai-sampling.js";
import { imageRequestSchema, type ImageRequestBody } from "./schema.js";

export interface ParsedImageRequest {
  /** `model` is null if the request names none. */
  readonly request: Omit<ImageGenerationRequest, "model"> & { readonly model: string | null };
}

/** Parses a request body. @throws HearthError that names the first invalid field. */
export function parseImageRequest(body: unknown): ParsedImageRequest {
  const fields = validFields(imageRequestSchema, body);
  if (fields.stream === true) throw unsupported("stream", "streams of images are");
  const { output_compression: quality } = fields;
  return {
    request: {
      model: fields.model ?? null,
      prompt: fields.prompt,
      images: fields.n ?? 1,
      size: requestedSize(fields),
      seed: fields.seed == null ? null : seed32(fields.seed),
      format: fields.output_format ?? "png",
      // The encoder's lowest quality is 1.
      quality: quality == null ? null : Math.max(1, quality),
      stored: (fields.response_format ?? "url") === "url",
    },
  };
}

function requestedSize({ size, aspect_ratio: ratio }: ImageRequestBody): RequestedImageSize | null {
  if (size != null && size !== "auto") return { ...sides(size, "x"), ratioOnly: false };
  return ratio == null || ratio === "auto" ? null : { ...sides(ratio, ":"), ratioOnly: true };
}

function sides(text: string, separator: string): { readonly width: number; readonly height: number } {
  const [width = 1, height = 1] = text.split(separator).map(Number);
  return { width, height };
}
