/** The wire's request for images -> a DrawRequest. Pure. */
import type { AskedSize, DrawRequest } from "../../core/image-generation.js";
import { fieldError, unsupported } from "../field-error.js";
import { seed32 } from "../openai-sampling.js";
import { imageRequestSchema, type ImageRequestBody } from "./schema.js";

export interface ParsedImageRequest {
  /** `model` is null where the request names none. */
  readonly request: Omit<DrawRequest, "model"> & { readonly model: string | null };
}

/** @throws HearthError naming the first field that is wrong. */
export function parseImageRequest(body: unknown): ParsedImageRequest {
  const parsed = imageRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  if (fields.stream === true) throw unsupported("stream", "streams of images are");
  const { output_compression: quality } = fields;
  return {
    request: {
      model: fields.model ?? null,
      prompt: fields.prompt,
      images: fields.n ?? 1,
      size: askedSize(fields),
      seed: fields.seed == null ? null : seed32(fields.seed),
      format: fields.output_format ?? "png",
      // 0 is the worst that there is.
      quality: quality == null ? null : Math.max(1, quality),
      kept: (fields.response_format ?? "url") === "url",
    },
  };
}

function askedSize({ size, aspect_ratio: ratio }: ImageRequestBody): AskedSize | null {
  if (size != null && size !== "auto") return { ...sides(size, "x"), ratioOnly: false };
  return ratio == null || ratio === "auto" ? null : { ...sides(ratio, ":"), ratioOnly: true };
}

function sides(text: string, between: string): { readonly width: number; readonly height: number } {
  const [width = 1, height = 1] = text.split(between).map(Number);
  return { width, height };
}
