/**
 * Schema of the request of POST /v1/images/generations, with the fields of OpenAI and xAI. `null` means absent for every
 * optional field. Other fields (style, ...) do not change the image and are ignored.
 */
import { z } from "zod";
import { optionalInteger, modelIdField } from "../request-fields.js";
import { labelField } from "../run-labels.js";

/** Maximum characters of a prompt. A model may use fewer; `revised_prompt` of the response contains the used part. */
export const promptCharsMax = 4_000;
/** Maximum images of one request. */
const imagesMax = 10;
const int64Max = 2 ** 63;

const ratios = [
  "1:1",
  "3:4",
  "4:3",
  "9:16",
  "16:9",
  "2:3",
  "3:2",
  "9:19.5",
  "19.5:9",
  "9:20",
  "20:9",
  "1:2",
  "2:1",
  "auto",
] as const;

export const imageRequestSchema = z
  .object({
    prompt: z
      .string()
      .min(1, "must not be empty")
      .max(promptCharsMax, `must be at most ${promptCharsMax} characters long`)
      .describe("Description of the image."),
    model: modelIdField.nullish().describe("Id or alias of a model. Default: the first image model."),
    n: optionalInteger(1, imagesMax).meta({
      default: 1,
      description: "Number of images, generated independently.",
    }),
    size: z
      .string()
      .regex(
        /^(auto|[1-9]\d{0,4}x[1-9]\d{0,4})$/,
        "must be a width and a height in pixels, such as 512x512, or auto",
      )
      .nullish()
      .describe("The image gets the nearest size that the model supports; the response contains that size."),
    aspect_ratio: z
      .enum(ratios)
      .nullish()
      .describe(
        "Ratio of width to height, used if there is no `size`. The nearest ratio that the model supports applies.",
      ),
    response_format: z
      .enum(["url", "b64_json"])
      .nullish()
      .describe(
        "A URL is valid for one hour and needs no API key. Default: `b64_json` if the name of the model begins with `gpt-image` or the " +
          "request has a field or value that only those models have: `output_format`, `output_compression`, `background`, `moderation`, " +
          "`stream: true`, the quality `low`, `medium`, `high` or `auto`, the size `auto`; else `url`.",
      ),
    output_format: z.enum(["png", "jpeg", "webp"]).nullish().meta({ default: "png" }),
    output_compression: optionalInteger(0, 100).describe("Quality of a JPEG or WebP image in percent."),
    background: z
      .enum(["opaque", "auto", "transparent"])
      .nullish()
      .describe("Images are opaque; `transparent` is not supported."),
    quality: z
      .enum(["low", "medium", "high", "auto", "standard", "hd"])
      .nullish()
      .describe("Does not change the image."),
    user: labelField.describe("The end user; spend is counted by it."),
    moderation: z.enum(["low", "auto"]).nullish().describe("Has no effect: images are not moderated."),
    seed: optionalInteger(-int64Max, int64Max, "must fit into 64 bits").describe(
      "Extension: the same seed generates the same image; further images use the next seeds.",
    ),
    stream: z
      .boolean()
      .nullish()
      .describe("Whether each image is an event of a stream; its images are always data."),
    partial_images: optionalInteger(0, 3).describe(
      "Partial images of a stream, at most. None are sent: an image is sent when it is finished.",
    ),
  })
  .meta({ id: "ImageRequest" });
