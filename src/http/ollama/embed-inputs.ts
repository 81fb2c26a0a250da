import type { OllamaEmbedRequest } from "../../dialects/ollama/embed/parse.js";
import type { Evaluated } from "../../inference/embeddings/embed.js";
import type { AppContext } from "../server/app-context.js";
import { reserveTokens } from "../server/middleware/limit.js";
import { authoriseModel } from "../../answers/authorise-model.js";
import { requireAbility } from "../../answers/require-ability.js";
import { whileClientWaits } from "../server/reply/client.js";
import { answerHeaders } from "../server/reply/run-headers.js";
import type { Call } from "../server/route.js";
import { embeds, partsOf } from "../inference/embeddings/embeddings.js";
import { knownName } from "./names.js";

export type Embedded = Pick<Evaluated, "vectors" | "promptTokens" | "loadMs">;

/** Embeds the inputs of a request, of which there may be none. @returns null when the client has left. */
export async function embedInputs(
  app: AppContext,
  call: Call,
  { request, keepAliveMs }: OllamaEmbedRequest,
): Promise<Embedded | null> {
  const { ctx, principal, requestId, route } = call;
  const model = knownName(app.models, request.model);
  authoriseModel(app.models, call, model, "embedding");
  requireAbility(app.models, call, model, embeds);
  if (request.inputs.length === 0) return { vectors: [], promptTokens: 0, loadMs: 0 };
  const tokenReservation = await reserveTokens(app, call, model, partsOf(request.inputs));
  const context = { principal, requestId, endpoint: route.path, tokenReservation, keepAliveMs };
  const result = await whileClientWaits(ctx.req.socket, (signal) =>
    app.embedder.embed({ ...request, model }, context, signal),
  );
  if (result !== null) ctx.set(answerHeaders(result));
  return result;
}
