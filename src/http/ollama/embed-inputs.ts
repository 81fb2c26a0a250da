import type { OllamaEmbedRequest } from "../../dialects/ollama/embed/parse.js";
import type { Evaluated } from "../../inference/embeddings/embedding-run.js";
import type { AppContext } from "../server/app-context.js";
import { authoriseModel } from "../../answers/authorise-model.js";
import type { Call } from "../server/route.js";
import { embeds } from "../../answers/embeddings.js";
import { embedCall } from "../server/answer.js";
import { knownName } from "./names.js";

type Embedded = Pick<Evaluated, "vectors" | "promptTokens" | "loadMs">;

/** Embeds the inputs of a request, of which there may be none. @returns null when the client has left. */
export async function embedInputs(
  app: AppContext,
  call: Call,
  { request, keepAliveMs }: OllamaEmbedRequest,
): Promise<Embedded | null> {
  const model = knownName(app.models, request.model);
  if (request.inputs.length > 0) return embedCall(app, call, { ...request, model }, keepAliveMs);
  authoriseModel(app.models, call, model, "embedding", embeds);
  return { vectors: [], promptTokens: 0, loadMs: 0 };
}
