/** POST /v1/responses/compact: a conversation made short by the model itself, for a later request to go on from. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { foldCompaction, parseCompactRequest } from "../../../dialects/openai-responses/compact.js";
import { compactRequestSchema } from "../../../dialects/openai-responses/schema.js";
import { compactionSchema } from "../../../dialects/openai-responses/wire.js";
import type { BuiltDeps } from "../../deps.js";
import { limitWork } from "../../middleware/limit.js";
import { createReply } from "../../reply/reply.js";
import { findItems } from "../../../jobs/responses/conversation-items.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";

/** The handler over its dependencies. */
export function compactConversation(deps: BuiltDeps): (call: Call) => Promise<void> {
  const reply = createReply(deps);
  return async (call) => {
    const { ctx, principal, body, requestId, route } = call;
    const request = parseCompactRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const { before, own } = await findItems(deps.memory, request, principal.team.id);
    const asked = request.generation([...before, ...own]);
    const admission = await limitWork(deps, call, request.model, asked);
    const run = deps.generator.start(asked, { principal, requestId, endpoint: route.path, admission });
    const id = `cmp_${run.id.replaceAll("-", "")}`;
    const fold = foldCompaction({ id, created: Math.floor(deps.clock.now() / 1000), model: run.model });
    await reply.sendJson(ctx, run, { add: (event) => fold.add(event), body: () => fold.result() });
  };
}

export const compactionDocs: RouteDocs = {
  operation: "compactConversation",
  tag: "Responses",
  summary: "Make a conversation short",
  description:
    "The model sums the conversation up. The item that comes back stands, in the `input` of a later request, for all that was said.",
  body: compactRequestSchema,
  example: { model: "hearth-tiny-5m", input: [{ role: "user", content: "My name is Ada." }] },
  errors: ["no_credits"],
  answers: { 200: { description: "The summary, as an item.", schema: compactionSchema } },
};
