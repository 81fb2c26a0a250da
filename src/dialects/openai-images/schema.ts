/**
 * The request of POST /v1/images/generations as it is on the wire: OpenAI's and xAI's fields together. `null` means absent for
 * every optional field; fields that are not here (user, style, moderation, ...) change nothing in the image and are dropped unread.
 */
import { z } from "zod";
import { integer, modelField } from "../bounded.js";

/** Characters of a prompt; how many of them a model reads is its own, and told in `revised_prompt`. */
export const promptCharsMax = 4_000;
/** Images of one request. */
const imagesMax = 10;
const int64Max = 2 ** 63;

const ratios = [
  ...["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "9:19.5", "19.5:9", "9:20", "20:9", "1:2", "2:1"],
  "auto",
] as const;

export const imageRequestSchema = z
  .object({
    prompt: z
      .string()
      .min(1, "must not be empty")
      .max(promptCharsMax, `must be at most ${promptCharsMax} characters long`)
      .describe("What is to be seen."),
    model: modelField.nullish().describe("Id or alias; absent: the first model that draws."),
    n: integer(1, imagesMax).meta({ default: 1, description: "Images, drawn independently." }),
    size: z
      .string()
      .regex(
        /^(auto|[1-9]\d{0,4}x[1-9]\d{0,4})$/,
        "must be a width and a height in pixels, such as 512x512, or auto",
      )
      .nullish()
      .describe("The nearest size that the model can draw is drawn, and told in the answer."),
    aspect_ratio: z
      .enum(ratios)
      .nullish()
      .describe(
        "Of width to height, where there is no `size`; the nearest that the model can draw is drawn.",
      ),
    response_format: z
      .enum(["url", "b64_json"])
      .nullish()
      .meta({ default: "url", description: "A URL needs no key and leads to the image for an hour." }),
    output_format: z.enum(["png", "jpeg", "webp"]).nullish().meta({ default: "png" }),
    output_compression: integer(0, 100).describe("Quality of a JPEG or WebP, in percent."),
    seed: integer(-int64Max, int64Max, "must fit into 64 bits").describe(
      "Extension: the same seed draws the same image; further images have the next seeds.",
    ),
    stream: z.boolean().nullish().describe("Not served: an image comes whole."),
  })
  .meta({ id: "ImageRequest" });

export type ImageRequestBody = z.infer<typeof imageRequestSchema>;
