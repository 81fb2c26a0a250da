/** The tool `image_generation`: an image model draws what a chat model describes, as a run of its own. */
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import { HearthError } from "../../core/errors.js";
import type { ImageForm } from "../../core/images/image-generation.js";
import { drawnText, type ServerCallResult } from "../../core/tools/server-call.js";
import type { ServerCall, ServerTool } from "../run/run-context.js";
import type { ImageGenerator } from "./generate-images.js";

export interface ImageToolDeps {
  readonly imageGenerator: ImageGenerator;
  readonly rateLimits: RateLimits;
}

/** What the request states of its images. */
interface ImageToolSettings extends ImageForm {
  /** Name of the image model, which the key may use. */
  readonly model: string;
  /** Its id. */
  readonly modelId: string;
}

const promptCharsMax = 4_000;

/** Builds the tool. @param name by which the model calls it */
export function createImageTool(deps: ImageToolDeps, name: string, settings: ImageToolSettings): ServerTool {
  return { name, run: (call) => draw(deps, settings, call) };
}

async function draw(
  { imageGenerator, rateLimits }: ImageToolDeps,
  { modelId, ...settings }: ImageToolSettings,
  { arguments: { prompt }, caller, signal }: ServerCall,
): Promise<ServerCallResult> {
  if (typeof prompt !== "string" || prompt === "" || prompt.length > promptCharsMax)
    throw new HearthError("invalid_value", `prompt: must have 1 to ${promptCharsMax} characters`);
  const request = await rateLimits.admitRequest(caller.principal);
  if (request.refusal !== null) throw request.refusal;
  const endUser = caller.principal.labels?.endUser ?? null;
  // Image generation is not counted in tokens.
  const { refusal } = await rateLimits.admitModelRequest(request, modelId, null, endUser);
  if (refusal !== null) throw refusal;
  const wanted = { ...settings, prompt, images: 1, seed: null, stored: false };
  const { images, costTicks } = await imageGenerator.generateImages(wanted, caller, signal);
  const [image] = images;
  if (image === undefined) throw new Error("no image was generated");
  const { bytes, promptRead, width, height } = image;
  return {
    failed: false,
    content: drawnText,
    image: {
      base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
      prompt: promptRead,
      format: settings.format,
      width,
      height,
    },
    costTicks,
  };
}
