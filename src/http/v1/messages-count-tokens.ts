/** POST /v1/messages/count_tokens: how long the prompt of a messages request is, by the model's own template and tokenizer. */
import { authorise } from "../../accounts/permissions.js";
import { parseMessagesRequest } from "../../dialects/anthropic-messages/parse.js";
import { whileClientWaits } from "../client.js";
import type { BuiltDeps } from "../deps.js";
import type { Call } from "../route.js";

/** The handler over its dependencies. */
export function countMessageTokens(
  deps: Pick<BuiltDeps, "models" | "generator">,
): (call: Call) => Promise<void> {
  return async ({ ctx, principal, body, route }) => {
    const { request } = parseMessagesRequest(body);
    const model = deps.models.find(request.model)?.manifest.id ?? request.model;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: request.model });
    const tokens = await whileClientWaits(ctx.req.socket, (signal) =>
      deps.generator.countPrompt(request, signal),
    );
    if (tokens !== null) ctx.body = { input_tokens: tokens };
  };
}
