import type { EmbeddingInput, EmbeddingRequest } from "../core/embeddings/request.js";
import type { TokenReservation } from "../core/limits.js";
import type { PromptParts } from "../accounts/limits/prompt-estimate.js";
import { admitModel } from "./admit.js";
import type { Ability } from "./authorise-model.js";
import type { AnswerContext } from "./context.js";
import type { Asking } from "./endpoint.js";

/** Models that embed. */
export const embeds: Ability = { verb: "embed", has: ({ manifest }) => manifest.kind === "embedding" };

/** Admits a request that embeds inputs. @throws HearthError why it is not admitted; nothing is held then. */
export function admitEmbedding(
  app: AnswerContext,
  asking: Asking,
  { model, inputs, labels }: EmbeddingRequest,
): Promise<TokenReservation> {
  return admitModel(app, asking, {
    model,
    kind: "embedding",
    ability: embeds,
    prompt: splitInputs(inputs),
    labels,
  });
}

/** Returns what the limits on tokens estimate inputs by. */
function splitInputs(inputs: readonly EmbeddingInput[]): PromptParts {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  return { text: texts.join("\n"), tokens };
}
