/** Schemas of the response of POST /v1/images/generations. */
import { z } from "zod";
import { countField, responseObject, responseArray, unixSecondsField } from "../response-fields.js";

const image = responseObject({
  url: z.string().optional().describe("URL of the image, valid for one hour without an API key."),
  b64_json: z.string().optional().describe("The image in base64."),
  revised_prompt: z
    .string()
    .describe(
      "The part of the prompt that the model used: its beginning, if it is longer than the model's limit.",
    ),
  mime_type: z.enum(["image/png", "image/jpeg", "image/webp"]),
  seed: countField("Extension: a request with this seed generates the same image again."),
}).meta({ id: "Image", description: "One image, as a URL or as data." });

const details = (of: string) =>
  responseObject({
    text_tokens: countField(`Tokens of text in the ${of}.`),
    image_tokens: countField(`Tokens of images in the ${of}.`),
  });

const usage = {
  input_tokens: countField("Tokens of the prompt that the model read, once for each image."),
  input_tokens_details: details("input"),
  output_tokens: countField(
    "Positions of the images within the model. They count toward no price and no limit.",
  ),
  output_tokens_details: details("output"),
  total_tokens: countField("Sum of `input_tokens` and `output_tokens`."),
};

export const imageList = responseObject({
  created: unixSecondsField,
  data: responseArray(image),
  size: z.string().describe("Width and height of each image in pixels, such as 512x512."),
  output_format: z.enum(["png", "jpeg", "webp"]),
  background: z.literal("opaque"),
  quality: z
    .enum(["low", "medium", "high"])
    .describe("The requested quality, which does not change the image; `medium` if there is none."),
  usage: responseObject({
    ...usage,
    cost_in_usd_ticks: countField("Total cost of the images; 1 USD = 10^10 ticks."),
  }),
}).meta({ id: "ImageList", description: "The generated images." });

export const imageCompletedEvent = responseObject({
  type: z.literal("image_generation.completed"),
  b64_json: z.string().describe("The image in base64."),
  created_at: unixSecondsField,
  size: z.string(),
  output_format: z.enum(["png", "jpeg", "webp"]),
  background: z.literal("opaque"),
  quality: z.enum(["low", "medium", "high"]),
  revised_prompt: z.string(),
  seed: countField("Extension: a request with this seed generates the same image again."),
  usage: responseObject(usage).describe("The usage of this image."),
}).meta({ id: "ImageCompletedEvent", description: "One image of a stream." });
export type WireImage = z.infer<typeof image>;
export type WireImageQuality = ImageList["quality"];
export type ImageList = z.infer<typeof imageList>;
