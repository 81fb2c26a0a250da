/** The shapes of an answer with images on the wire. */
import { z } from "zod";
import { count, shape, shapes, unixSeconds } from "../shape.js";

const image = shape({
  url: z.string().exactOptional().describe("Leads to the image for an hour, without a key."),
  b64_json: z.string().exactOptional().describe("The image itself, in base64."),
  revised_prompt: z
    .string()
    .describe("What the model read of the prompt: its beginning, where it is longer than the model reads."),
  mime_type: z.enum(["image/png", "image/jpeg", "image/webp"]),
  seed: count("Extension: asked for again with it, the same image is drawn."),
}).meta({ id: "Image", description: "One image, by its URL or itself." });

export const imageList = shape({
  created: unixSeconds,
  data: shapes(image),
  size: z.string().describe("Width and height of each image, in pixels, such as 512x512."),
  output_format: z.enum(["png", "jpeg", "webp"]),
  usage: shape({ cost_in_usd_ticks: count("What the images cost together; 1 USD = 10^10 ticks.") }),
}).meta({ id: "ImageList", description: "What was drawn." });

export type WireImage = z.infer<typeof image>;
export type ImageList = z.infer<typeof imageList>;
