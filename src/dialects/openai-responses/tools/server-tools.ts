/** The tools of a request whose calls the server executes, as functions for the model, and their settings. Pure. */
import type { HearthError } from "../../../core/errors.js";
import type { Tool } from "../../../core/generation.js";
import type { ImageForm } from "../../../core/images/image-generation.js";
import { unsupported } from "../../field-error.js";
import { requestedPixels } from "../../image-size.js";
import type { McpListings } from "../../mcp-tools.js";
import type { ImageToolBody } from "./schema.js";

/** What the server executes for a key. */
export interface ServerToolOffer {
  /**
   * @param model the name in the tool; null = any image model.
   * @returns why the tool is not executed: `none` when there is no image model; null when it is executed.
   */
  readonly imageGeneration: (model: string | null) => HearthError | "none" | null;
  /** The tools that MCP servers have listed so far; absent = their calls are not executed. */
  readonly mcp?: McpListings;
}

/** Nothing is executed. */
export const noServerTools: ServerToolOffer = { imageGeneration: () => "none" };

/** A tool of a request whose calls the server executes. */
export interface ServerToolSettings extends ImageForm {
  readonly type: "image_generation";
  /** null = the first image model that the key may use. */
  readonly model: string | null;
}

export const imageGenerationTool: Tool = {
  name: "image_generation",
  description: "Draws an image from a description and shows it to the user.",
  parameters: {
    type: "object",
    properties: {
      prompt: { type: "string", minLength: 1, description: "A complete description of the image." },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
};

/** @throws HearthError `invalid_value` that names a field whose value is not supported. */
export function imageToolSettings(body: ImageToolBody, param: string): ServerToolSettings {
  if (body.action === "edit") throw unsupported(`${param}.action`, "edits of images are");
  if (body.input_image_mask != null) throw unsupported(`${param}.input_image_mask`, "edits of images are");
  if (body.background === "transparent") throw unsupported(`${param}.background`, "transparent images are");
  const { model, size, output_format: format, output_compression: quality } = body;
  return {
    type: body.type,
    model: model ?? null,
    size: requestedPixels(size),
    format: format ?? "png",
    // The encoder's lowest quality is 1.
    quality: quality == null ? null : Math.max(1, quality),
  };
}
