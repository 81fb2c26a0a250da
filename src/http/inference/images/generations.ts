/** POST /v1/images/generations: generates images from a text. */
import { authorise, mayUseModel } from "../../../accounts/principals/permissions.js";
import type { Principal } from "../../../accounts/principals/api-key.js";
import { HearthError } from "../../../core/errors.js";
import type { ModelRegistry } from "../../../core/model.js";
import {
  encodeImageEvents,
  encodeImages,
  type ImageResults,
} from "../../../dialects/openai-images/encode.js";
import { parseImageRequest } from "../../../dialects/openai-images/parse.js";
import { imageRequestSchema } from "../../../dialects/openai-images/schema.js";
import { imageCompletedEvent, imageList } from "../../../dialects/openai-images/response-schema.js";
import { eventFrame } from "../../../dialects/sse.js";
import type { NamedImage } from "../../../inference/images/generate-images.js";
import { storedImageUrl } from "./image-file.js";
import { imagesCall } from "../../server/answer.js";
import { apiKeyRoute, type Call } from "../../server/route.js";

/** Generates images and returns them as URLs or base64. */
export const createImages = apiKeyRoute({
  method: "POST",
  path: "/v1/images/generations",
  acl: "image",
  docs: {
    operation: "createImage",
    tag: "Images",
    summary: "Generate images from a text",
    description:
      "Accepts the fields of OpenAI and xAI. Fields that are not listed are ignored. A model supports certain sizes: the image has " +
      "the one nearest to the requested size, which the answer returns as `size`.",
    body: imageRequestSchema,
    example: { prompt: "a red circle on white", response_format: "b64_json" },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The images.", schema: imageList } },
    stream: { schema: imageCompletedEvent, named: true, done: false },
  },
  async handle(call, app) {
    const { ctx, principal, body, route } = call;
    const { request, quality, streams } = parseImageRequest(body);
    const requestedModel = request.model ?? firstImageModel(app.models, principal);
    authorise(principal, { endpoint: route.acl, model: null });
    if (requestedModel === null) throw noImageModel();
    const result = await imagesCall(app, call, { ...request, model: requestedModel });
    if (result === null) return;
    const results: ImageResults = {
      created: Math.floor(app.clock.now() / 1000),
      images: result.images.map((image) => ({
        ...image,
        promptUsed: image.promptRead,
        source: locateImage(image, `${ctx.protocol}://${ctx.host}${ctx.state.basePath}`),
      })),
      format: request.format,
      quality,
      costTicks: result.costTicks,
    };
    if (streams) sendEvents(call, results);
    else ctx.body = encodeImages(results);
  },
});

/** Sends the images as a stream. It begins when all are finished, so that every failure has its status. */
function sendEvents({ ctx }: Call, results: ImageResults): void {
  ctx.set("cache-control", "no-cache, no-transform");
  ctx.type = "text/event-stream";
  ctx.body = encodeImageEvents(results)
    .map((event) => eventFrame(event.type, event))
    .join("");
}

function locateImage(
  { name, bytes }: NamedImage,
  origin: string,
): { readonly url: string } | { readonly base64: string } {
  if (name !== null) return { url: storedImageUrl(origin, name) };
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64") };
}

function firstImageModel(models: ModelRegistry, principal: Principal): string | null {
  const usable = models
    .list()
    .filter(({ manifest, unusable }) => manifest.kind === "image" && unusable === null);
  return usable.find((model) => mayUseModel(principal, model))?.manifest.id ?? null;
}

function noImageModel(): HearthError {
  return new HearthError(
    "model_not_found",
    "This server has no image generation model, or none that your team has access to.",
    {
      param: "model",
    },
  );
}
