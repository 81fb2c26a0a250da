/** POST /v1/images/generations: images drawn from a text. */
import { authorise, mayUseModel } from "../../../accounts/keys/permissions.js";
import type { Principal } from "../../../accounts/keys/api-key.js";
import { HearthError } from "../../../core/errors.js";
import type { ModelRegistry } from "../../../core/model.js";
import { encodeImages } from "../../../dialects/openai-images/encode.js";
import { parseImageRequest } from "../../../dialects/openai-images/parse.js";
import { imageRequestSchema } from "../../../dialects/openai-images/schema.js";
import { imageList } from "../../../dialects/openai-images/wire.js";
import type { Drawing } from "../../../inference/images/generate-images.js";
import { whileClientWaits } from "../../reply/client.js";
import type { BuiltDeps } from "../../deps.js";
import { imageUrl } from "../../images.js";
import { limitWork, settling } from "../../middleware/limit.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

/** The handler over its dependencies. */
export function createImages(
  deps: Pick<BuiltDeps, "drawings" | "models" | "clock" | "rateLimits" | "hostedTokenizer">,
): (call: Call) => Promise<void> {
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const { request } = parseImageRequest(body);
    const named = request.model ?? firstPainter(deps.models, principal);
    const id = named === null ? null : (deps.models.find(named)?.manifest.id ?? named);
    authorise(principal, {
      endpoint: route.endpointAcl,
      model: id,
      ...(named === null ? {} : { modelAsWritten: named }),
    });
    if (named === null) throw noPainter();
    const admission = await limitWork(deps, call, named, request.prompt);
    const context = { principal, requestId, endpoint: route.path };
    const draw = () =>
      whileClientWaits(ctx.req.socket, (signal) =>
        deps.drawings.draw({ ...request, model: named }, context, signal),
      );
    // What it drew is no tokens.
    const drawn = await settling(admission, draw, () => 0);
    if (drawn === null) return;
    ctx.body = encodeImages({
      created: Math.floor(deps.clock.now() / 1000),
      images: drawn.drawings.map((drawing) => ({
        ...drawing,
        by: placeOf(drawing, `${ctx.protocol}://${ctx.host}`),
      })),
      format: request.format,
      costTicks: drawn.costTicks,
    });
  };
}

export const imagesDocs: RouteDocs = {
  operation: "createImage",
  tag: "Images",
  summary: "Draw images from a text",
  description:
    "The fields of OpenAI and xAI together. Fields that are not listed change nothing and are ignored. A model draws the sizes " +
    "that it can: the nearest to what was asked for is drawn, and told as `size`.",
  body: imageRequestSchema,
  example: { prompt: "a red circle on white", response_format: "b64_json" },
  errors: ["no_credits"],
  answers: { 200: { description: "The images.", schema: imageList } },
};

function placeOf(
  { name, bytes }: Drawing,
  origin: string,
): { readonly url: string } | { readonly base64: string } {
  if (name !== null) return { url: imageUrl(origin, name) };
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64") };
}

function firstPainter(models: ModelRegistry, principal: Principal): string | null {
  const painters = models
    .list()
    .filter(({ manifest, unusable }) => manifest.kind === "image" && unusable === null)
    .map(({ manifest }) => manifest.id);
  return painters.find((id) => mayUseModel(principal, id)) ?? null;
}

function noPainter(): HearthError {
  return new HearthError(
    "model_not_found",
    "This server has no model that draws, or none that your team has access to.",
    {
      param: "model",
    },
  );
}
