/** POST /v1/responses/compact: the model summarises a conversation, so that a later request can continue from the summary. */
import { foldCompaction, parseCompactRequest } from "../../../dialects/openai-responses/compact.js";
import { compactRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { compactionSchema } from "../../../dialects/openai-responses/response-schema.js";
import type { HttpDeps } from "../../deps.js";
import { authoriseModel } from "../../models/authorise-model.js";
import { inlineFiles } from "../../models/inline-files.js";
import { reserveTokens } from "../../middleware/limit.js";
import { createReply } from "../../reply/reply.js";
import { findItems } from "../../../jobs/responses/conversation-items.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";

/** Returns the summary of a conversation. */
export function compactConversation(deps: HttpDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, requestId, route } = call;
    const inlined = await inlineFiles(deps, call);
    if (inlined === null) return;
    const request = parseCompactRequest(inlined.whole);
    authoriseModel(deps.models, call, request.model);
    const { before, ownInput: ownInput } = await findItems(deps, request, principal.team.id);
    const generation = request.generation([...before, ...ownInput]);
    const reservation = await reserveTokens(deps, call, request.model, generation);
    const run = deps.generator.start(generation, {
      principal,
      requestId,
      endpoint: route.path,
      tokenReservation: reservation,
    });
    const id = `cmp_${run.id.replaceAll("-", "")}`;
    const created = Math.floor(deps.clock.now() / 1000);
    const fold = foldCompaction({ id, created, model: run.model, modelName: run.modelName });
    await reply.sendJson(ctx, run, { add: (event) => fold.add(event), body: () => fold.result() });
  };
}

export const compactConversationDocs: RouteDocs = {
  operation: "compactConversation",
  tag: "Responses",
  summary: "Summarise a conversation",
  description:
    "The model summarises the conversation. The returned item replaces the conversation in the `input` of a later request.",
  body: compactRequestSchema,
  example: { model: "hearth-tiny-5m", input: [{ role: "user", content: "My name is Ada." }] },
  errors: ["no_credits", "budget_exceeded"],
  answers: { 200: { description: "The summary, as an item.", schema: compactionSchema } },
};
