/** POST /v1/messages: Anthropic's Messages API, streamed or as JSON. */
import { z } from "zod";
import { errorBody } from "../../../dialects/error-body.js";
import { anthropicError } from "../../../dialects/error-schema.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../../dialects/anthropic-messages/encode.js";
import type { McpOffer } from "../../../dialects/anthropic-messages/mcp/servers.js";
import { parseMessagesRequest } from "../../../dialects/anthropic-messages/parse.js";
import { messagesRequestSchema } from "../../../dialects/anthropic-messages/schema.js";
import { message, messageEvent } from "../../../dialects/anthropic-messages/response-schema.js";
import { eventFrame } from "../../../dialects/sse.js";
import type { Run } from "../../../inference/run/generate.js";
import type { AppContext } from "../../server/app-context.js";
import { authoriseModel } from "../../../answers/authorise-model.js";
import { inlineFiles } from "../../server/inline-files.js";
import type { TokenReservation } from "../../../core/limits.js";
import { editedRequest } from "./edited-request.js";
import { type ListedMessagesRequest, listMessagesTools, mcpOfferOf } from "./mcp.js";
import { reserveTokens, whileReserved } from "../../server/middleware/limit.js";
import { type JsonPresenter, sendJson, sendStream, type StreamPresenter } from "../../server/reply/reply.js";
import { apiKeyRoute, type Call } from "../../server/route.js";

/** A request that is admitted. */
interface AdmittedRequest extends ListedMessagesRequest {
  readonly reservation: TokenReservation;
}

/** @param onStart receives the run when it begins. */
async function answer(
  app: AppContext,
  call: Call,
  { parsed, serverTools, reservation }: AdmittedRequest,
  onStart: (run: Run) => void,
): Promise<void> {
  const { ctx, principal, requestId, route } = call;
  const { stream, thinking, documents, edits, mcpTools, mcpLists } = parsed;
  const edited = await whileReserved(reservation, () => editedRequest(app, call, parsed.request, edits));
  if (edited === null) return;
  const { request, applied } = edited;
  const run = app.generator.start(request, {
    principal,
    requestId,
    endpoint: route.path,
    streamed: stream,
    tokenReservation: reservation,
    serverTools,
  });
  onStart(run);
  const { id, model, modelName, maxTokens } = run;
  const appliedEdits = edits === null ? null : applied;
  const names = { id, model, modelName };
  const identity = { ...names, thinking, maxTokens, appliedEdits, documents, mcpTools, mcpLists };
  if (stream) await sendStream(app, ctx, run, streamPresenter(identity, requestId));
  else await sendJson(ctx, run, jsonPresenter(identity));
}

/** Creates a message. */
export const createMessage = apiKeyRoute({
  method: "POST",
  path: "/v1/messages",
  acl: "chat",
  errors: "anthropic",
  docs: {
    operation: "createMessage",
    tag: "Messages",
    summary: "Create a message",
    description:
      "For Anthropic clients: the base URL is without `/v1`, the key goes into `x-api-key` or is a bearer token. Fields that are " +
      "not listed are ignored; values that are listed but not supported are rejected with the name of the field.",
    body: messagesRequestSchema,
    example: {
      model: "hearth-tiny-5m",
      max_tokens: 256,
      messages: [{ role: "user", content: "Hello!" }],
    },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: message } },
    stream: { schema: z.union([messageEvent, anthropicError]), named: true, done: false },
  },
  async handle(call, app) {
    const { bodyText } = call;
    const inlined = await inlineFiles(app, call);
    if (inlined === null) return;
    const { whole } = inlined;
    const parse = (offer: McpOffer) => parseMessagesRequest(whole, bodyText, offer);
    const parsed = parse(mcpOfferOf(call));
    authoriseModel(app.models, call, parsed.request.model);
    const { request } = parsed;
    const reservation = await reserveTokens(app, call, request.model, request);
    const listed = await whileReserved(reservation, async () => {
      if (parsed.mcpServers.length > 0) await app.generator.refuse(request, call.principal);
      return listMessagesTools(app, call, parsed, parse);
    });
    if (listed === null) return;
    let finished: Promise<void> | null = null;
    try {
      await answer(app, call, { ...listed, reservation }, (run) => {
        finished = run.finished;
      });
    } finally {
      void (finished ?? Promise.resolve()).then(() => listed.close());
    }
  },
});

function streamPresenter(identity: MessageIdentity, requestId: string): StreamPresenter {
  const encode = createMessageEncoder(identity);
  const frame = (event: { readonly type: string }): string => eventFrame(event.type, event);
  return {
    frames: (event) => encode(event).map(frame),
    closing: frame({ type: "message_stop" }),
    failure: (error) => eventFrame("error", errorBody(error, "anthropic", requestId)),
    ping: frame({ type: "ping" }),
  };
}

function jsonPresenter(identity: MessageIdentity): JsonPresenter {
  const fold = foldMessage(identity);
  return { add: (event) => fold.add(event), body: () => fold.body() };
}
