import type { OllamaEmbedRequest } from "../../dialects/ollama/embed/parse.js";
import type { Evaluated } from "../../inference/embeddings/embed.js";
import type { HttpDeps } from "../deps.js";
import { reserveTokens } from "../middleware/limit.js";
import { authoriseModel } from "../models/authorise-model.js";
import { requireAbility } from "../models/require-ability.js";
import { whileClientWaits } from "../reply/client.js";
import { answerHeaders } from "../reply/run-headers.js";
import type { Call } from "../route.js";
import { embeds, partsOf } from "../v1/embeddings.js";
import { knownName } from "./name.js";

export type EmbedDeps = Pick<HttpDeps, "embedder" | "models" | "clock" | "rateLimits" | "hostedTokenizer">;

export type Embedded = Pick<Evaluated, "vectors" | "promptTokens" | "loadMs">;

/** Embeds the inputs of a request, of which there may be none. @returns null when the client has left. */
export async function embedInputs(
  deps: EmbedDeps,
  call: Call,
  { request, keepAliveMs }: OllamaEmbedRequest,
): Promise<Embedded | null> {
  const { ctx, principal, requestId, route } = call;
  const model = knownName(deps.models, request.model);
  authoriseModel(deps.models, call, model, "embedding");
  requireAbility(deps.models, call, model, embeds);
  if (request.inputs.length === 0) return { vectors: [], promptTokens: 0, loadMs: 0 };
  const tokenReservation = await reserveTokens(deps, call, model, partsOf(request.inputs));
  const context = { principal, requestId, endpoint: route.path, tokenReservation, keepAliveMs };
  const result = await whileClientWaits(ctx.req.socket, (signal) =>
    deps.embedder.embed({ ...request, model }, context, signal),
  );
  if (result !== null) ctx.set(answerHeaders(result));
  return result;
}
