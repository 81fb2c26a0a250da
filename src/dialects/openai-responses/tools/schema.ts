/**
 * Schemas of the tools of a responses request. The client executes all of them but the hosted ones, which a hosted service executes
 * itself; of these, this server executes image generation and calls of MCP servers.
 */
import { z } from "zod";
import {
  jsonObjectField,
  boundedArray,
  functionNameField,
  modelIdField,
  optionalInteger,
} from "../../request-fields.js";
import { chosenMcpTool, mcpTool } from "./mcp/schema.js";
import { textFormatSchema, textToolFields } from "../../client-tools/text-input.js";

const toolsMax = 1_000;

const functionTool = z.object({
  type: z.literal("function"),
  name: functionNameField,
  description: z.string().nullish(),
  parameters: jsonObjectField.nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z
    .boolean()
    .nullish()
    .describe("With `tool_search`, the tool is only available once a search has returned it."),
});
const customTool = z.object({
  type: z.literal("custom"),
  ...textToolFields,
  format: textFormatSchema.nullish().describe("Format of the input, which is a text."),
  defer_loading: z.boolean().nullish(),
});
const namespaceTool = z.object({
  type: z.literal("namespace"),
  name: functionNameField,
  description: z.string().nullish(),
  tools: boundedArray(z.discriminatedUnion("type", [functionTool, customTool]), toolsMax),
});
const toolSearch = z.object({
  type: z.literal("tool_search"),
  execution: z.enum(["client", "server"]).nullish(),
  description: z.string().nullish(),
  parameters: jsonObjectField.nullish(),
});
/** Tools without parameters of their own: their calls have a type and fields that clients know. */
const typedTool = z.object({
  type: z.enum(["local_shell", "shell", "apply_patch"]),
  environment: z.object({ type: z.string() }).nullish().describe("`local`; others are hosted."),
});
/** The server executes its calls, if it has an image model that the key may use. */
const imageTool = z.object({
  type: z.literal("image_generation"),
  action: z.enum(["generate", "edit", "auto"]).nullish().describe("`edit` is not supported."),
  model: modelIdField.nullish().describe("Default: the first image model."),
  size: z
    .string()
    .regex(
      /^(auto|[1-9]\d{0,4}x[1-9]\d{0,4})$/,
      "must be a width and a height in pixels, such as 512x512, or auto",
    )
    .nullish()
    .describe("The image gets the nearest size that the model supports."),
  quality: z.enum(["low", "medium", "high", "auto"]).nullish().describe("Does not change the image."),
  output_format: z.enum(["png", "jpeg", "webp"]).nullish().meta({ default: "png" }),
  output_compression: optionalInteger(0, 100).describe("Quality of a JPEG or WebP image in percent."),
  background: z
    .enum(["opaque", "auto", "transparent"])
    .nullish()
    .describe("Images are opaque; `transparent` is not supported."),
  moderation: z.enum(["low", "auto"]).nullish().describe("Has no effect: images are not moderated."),
  partial_images: optionalInteger(0, 3).describe("Partial images, at most. None are sent."),
  input_fidelity: z
    .enum(["high", "low"])
    .nullish()
    .describe("Has no effect: images of the conversation are not edited."),
  input_image_mask: z.unknown().optional().describe("Not supported."),
});
const hostedTool = z.object({ type: z.literal("hosted"), requestedType: z.string() });

export const toolSchema = z.preprocess(
  (value) => (isOfAnotherType(value) ? { type: "hosted", requestedType: value.type } : value),
  z.discriminatedUnion("type", [
    functionTool,
    customTool,
    namespaceTool,
    toolSearch,
    typedTool,
    imageTool,
    mcpTool,
    hostedTool.describe("All other types."),
  ]),
);
export const toolsSchema = boundedArray(toolSchema, toolsMax);

const namedTool = z.object({
  type: z.enum(["function", "custom"]),
  name: z.string(),
  namespace: z.string().nullish(),
});
const otherTool = z.object({
  type: z
    .string()
    .refine((type) => !["function", "custom", "mcp", "allowed_tools"].includes(type), "is not known"),
});
const chosenTool = z.union([namedTool, chosenMcpTool, otherTool]);
const allowedTools = z.object({
  type: z.literal("allowed_tools"),
  mode: z.enum(["auto", "required"]),
  tools: boundedArray(chosenTool, toolsMax),
});
export const toolChoiceSchema = z.union([
  z.enum(["none", "auto", "required"]),
  namedTool,
  chosenMcpTool,
  allowedTools,
  otherTool,
]);

export type ToolBody = z.infer<typeof toolSchema>;
export type ImageToolBody = z.infer<typeof imageTool>;
export type ChosenToolBody = z.infer<typeof chosenTool>;

const knownTypes = new Set<unknown>([
  "function",
  "custom",
  "namespace",
  "tool_search",
  "local_shell",
  "shell",
  "apply_patch",
  "image_generation",
  "mcp",
]);

function isOfAnotherType(value: unknown): value is { readonly type: string } {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && !knownTypes.has(value.type);
}
