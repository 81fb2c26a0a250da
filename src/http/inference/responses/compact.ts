/** POST /v1/responses/compact: the model summarises a conversation, so that a later request can continue from the summary. */
import { foldCompaction, parseCompactRequest } from "../../../dialects/openai-responses/compact.js";
import { compactRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { compactionSchema } from "../../../dialects/openai-responses/response-schema.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { inlineFiles } from "../../server/inline-files.js";
import { reserveTokens } from "../../server/middleware/limit.js";
import { sendJson } from "../../server/reply/reply.js";
import { findItems } from "../../../answers/responses/conversation-items.js";
import { apiKeyRoute } from "../../server/route.js";

/** Returns the summary of a conversation. */
export const compactConversation = apiKeyRoute({
  method: "POST",
  path: "/v1/responses/compact",
  acl: "chat",
  docs: {
    operation: "compactConversation",
    tag: "Responses",
    summary: "Summarise a conversation",
    description:
      "The model summarises the conversation. The returned item replaces the conversation in the `input` of a later request.",
    body: compactRequestSchema,
    example: { model: "hearth-tiny-5m", input: [{ role: "user", content: "My name is Ada." }] },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The summary, as an item.", schema: compactionSchema } },
  },
  async handle(call, app) {
    const { ctx, principal, requestId, route } = call;
    const inlined = await inlineFiles(app, call);
    if (inlined === null) return;
    const request = parseCompactRequest(inlined.whole);
    authoriseModel(app.models, call, request.model);
    const { before, ownInput: ownInput } = await findItems(app, request, principal.team.id);
    const generation = request.generation([...before, ...ownInput]);
    const reservation = await reserveTokens(app, call, request.model, generation);
    const run = app.generator.start(generation, {
      principal,
      requestId,
      endpoint: route.path,
      tokenReservation: reservation,
    });
    const id = `cmp_${run.id.replaceAll("-", "")}`;
    const created = Math.floor(app.clock.now() / 1000);
    const fold = foldCompaction({ id, created, model: run.model, modelName: run.modelName });
    await sendJson(ctx, run, { add: (event) => fold.add(event), body: () => fold.result() });
  },
});
