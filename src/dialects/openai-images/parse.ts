/** Parses the request of POST /v1/images/generations into an ImageGenerationRequest. Pure. */
import type { z } from "zod";
import type { RequestedImageSize, ImageGenerationRequest } from "../../core/images/image-generation.js";
import { invalidValue, unsupported, validFields } from "../field-error.js";
import { requestedPixels, sides } from "../image-size.js";
import { seed32 } from "../generation/sampling.js";
import { readRunLabels } from "../run-labels.js";
import type { WireImageQuality } from "./response-schema.js";
import { imageRequestSchema } from "./schema.js";

type ImageRequestBody = z.infer<typeof imageRequestSchema>;

interface ParsedImageRequest {
  /** `model` is null if the request names none. */
  readonly request: Omit<ImageGenerationRequest, "model"> & { readonly model: string | null };
  /** The quality that the response names. */
  readonly quality: WireImageQuality;
  readonly streams: boolean;
}

/** Names of models whose images the hosted service returns as data, never by URL. */
const namesWithoutUrls = /^(?:chat)?gpt-image/;

const wireQualities: Readonly<Record<NonNullable<ImageRequestBody["quality"]>, WireImageQuality>> = {
  low: "low",
  medium: "medium",
  high: "high",
  auto: "medium",
  standard: "medium",
  hd: "high",
};

/** Parses a request body. @throws HearthError that names the first invalid field. */
export function parseImageRequest(body: unknown): ParsedImageRequest {
  const fields = validFields(imageRequestSchema, body);
  const streams = fields.stream === true;
  if (streams && fields.response_format === "url")
    throw invalidValue("response_format", "must be b64_json in a stream, whose events have no URLs");
  if (fields.background === "transparent") throw unsupported("background", "transparent images are");
  const { output_compression: quality } = fields;
  return {
    streams,
    quality: wireQualities[fields.quality ?? "auto"],
    request: {
      model: fields.model ?? null,
      prompt: fields.prompt,
      images: fields.n ?? 1,
      size: requestedSize(fields),
      seed: fields.seed == null ? null : seed32(fields.seed),
      format: fields.output_format ?? "png",
      // The encoder's lowest quality is 1.
      quality: quality == null ? null : Math.max(1, quality),
      stored: (fields.response_format ?? defaultResponseFormat(fields)) === "url",
      labels: readRunLabels({ user: fields.user }),
    },
  };
}

/** Returns the form that the client expects by default: the hosted service has one for gpt-image models and another for older ones. */
function defaultResponseFormat(fields: ImageRequestBody): "url" | "b64_json" {
  if (namesWithoutUrls.test(fields.model ?? "")) return "b64_json";
  const { quality, size } = fields;
  const isOfNewer =
    [fields.output_format, fields.output_compression, fields.background, fields.moderation].some(
      (field) => field != null,
    ) ||
    size === "auto" ||
    fields.stream === true ||
    (quality != null && quality !== "standard" && quality !== "hd");
  return isOfNewer ? "b64_json" : "url";
}

function requestedSize({ size, aspect_ratio: ratio }: ImageRequestBody): RequestedImageSize | null {
  const pixels = requestedPixels(size);
  if (pixels !== null) return pixels;
  return ratio == null || ratio === "auto" ? null : { ...sides(ratio, ":"), ratioOnly: true };
}
