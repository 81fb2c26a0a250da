/**
 * The request of a batch line, ready to run: it is parsed, run and presented as the route of its endpoint does it with a request of its
 * own, so that the body of its answer is what the route would have answered.
 */
import { endUserOf } from "../../core/requests/labels.js";
import { ownerOf, type StoredOwner } from "../../inference/stored-owner.js";
import type { Principal } from "../../accounts/keys/api-key.js";
import { authorise, modelNames } from "../../accounts/keys/permissions.js";
import type { GenerationRequest } from "../../core/generation.js";
import { atPercent, completeRequest, type Model } from "../../core/model.js";
import type { ContextEdit } from "../../core/prompt/context-edit.js";
import { foldMessage } from "../../dialects/anthropic-messages/encode.js";
import { parseMessagesRequest } from "../../dialects/anthropic-messages/parse.js";
import { invalidValue } from "../../dialects/field-error.js";
import { foldCompletion as foldChat } from "../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../dialects/openai-chat/parse.js";
import { foldCompletion as foldText } from "../../dialects/openai-completions/encode.js";
import { parseCompletionRequest } from "../../dialects/openai-completions/parse.js";
import { createResponseEncoder } from "../../dialects/openai-responses/encode.js";
import {
  generationRequest,
  parseResponsesRequest,
  withToolsOfItems,
} from "../../dialects/openai-responses/parse.js";
import { applyContextEdits, type EditedRequest } from "../../inference/prompt/context-edits.js";
import { usableModel } from "../../inference/run/usable-model.js";
import { hasFiles } from "../../answers/files/prompt-files.js";
import { completionInsertion } from "../../answers/chat/completion-recorder.js";
import { findItems } from "../../answers/responses/conversation-items.js";
import { createResponseRecorder } from "../../answers/responses/response-recorder.js";
import { embeddingLine } from "./embedding-line.js";
import { startText, type Fold, type LineRequest, type LineRequestDeps } from "./line-run.js";

/** The routes whose requests a batch can have, with their ACL. */
export const batchEndpoints = {
  "/v1/chat/completions": "chat",
  "/v1/responses": "chat",
  "/v1/completions": "sample",
  "/v1/embeddings": "embed",
} as const;

/** Returns the ACL of a line's endpoint. */
export function endpointAclOf(endpoint: string): string {
  return (batchEndpoints as Readonly<Record<string, string>>)[endpoint] ?? "chat";
}

/** The route of the requests of a message batch. */
export const messagesEndpoint = "/v1/messages";

interface Line {
  readonly endpoint: string;
  /** JSON text. */
  readonly body: string;
  readonly principal: Principal;
}

/** Parses the request of a line. @throws HearthError as the route does. */
export async function parseLine(
  deps: LineRequestDeps,
  { endpoint, body, principal }: Line,
): Promise<LineRequest> {
  const { value: own, text } = await deps.parseJson(Buffer.from(body));
  const value = await inlined(deps, own, { endpoint, principal });
  const owner = ownerOf(principal);
  if (endpoint === "/v1/embeddings") return embeddingLine(deps, value);
  if (endpoint === "/v1/responses") return responseLine(deps, value, text, owner);
  if (endpoint === "/v1/completions") return completionLine(deps, value);
  return endpoint === messagesEndpoint
    ? messageLine(deps, value, text, principal)
    : chatLine(deps, value, text, owner);
}

/** Returns the JSON of a line with the contents of its files, which are expensive: the key must be allowed to use the model before. */
async function inlined(
  { models, promptFiles }: LineRequestDeps,
  value: unknown,
  { endpoint, principal }: Omit<Line, "body">,
): Promise<unknown> {
  if (!hasFiles(value)) return value;
  const { model: name } = value as { readonly model?: unknown };
  const model = typeof name === "string" ? modelNames(name, models.find(name)) : null;
  authorise(principal, { endpoint: endpointAclOf(endpoint), model });
  return promptFiles.inline(principal, value);
}

async function chatLine(
  deps: LineRequestDeps,
  value: unknown,
  text: string | null,
  storedOwner: StoredOwner,
): Promise<LineRequest> {
  const { request, stream, deferred, callsAsFunction, textTools, stored } = parseChatRequest(value, text);
  refuse("stream", stream);
  refuse("deferred", deferred);
  if (stored !== null) await deps.storedCompletions.refuseWhenFull();
  return textLine(deps, request, (identity) => {
    const fold = foldChat({ ...identity, choices: request.choices, callsAsFunction, textTools });
    const owner = { ...storedOwner, createTime: identity.created * 1000 };
    return {
      add: (event) => fold.add(event),
      body: () => fold.result(),
      writes: () =>
        stored === null
          ? []
          : [completionInsertion(deps.storedCompletions, { ...owner, stored }, fold.result())],
    };
  });
}

function completionLine(deps: LineRequestDeps, value: unknown): LineRequest {
  const { request, stream, includeUsage: _, ...options } = parseCompletionRequest(value);
  refuse("stream", stream);
  return textLine(deps, request, (identity) => {
    const fold = foldText({ ...identity, choices: request.choices, ...options });
    return { add: (event) => fold.add(event), body: () => fold.result() };
  });
}

async function messageLine(
  deps: LineRequestDeps,
  value: unknown,
  text: string | null,
  principal: Principal,
): Promise<LineRequest> {
  const { request: original, stream, thinking, documents, edits } = parseMessagesRequest(value, text);
  refuse("stream", stream);
  const { request, applied } = await edited(deps, original, edits ?? [], principal);
  const appliedEdits = edits === null ? null : applied;
  return textLine(deps, request, ({ id, model, modelName }) => {
    const { maxTokens } = completeRequest(request, model);
    return foldMessage({ id, model, modelName, thinking, maxTokens, appliedEdits, documents });
  });
}

/** Applies the edits of a request; they count tokens with the model, which the key must therefore be allowed to use. */
async function edited(
  { models, generator }: LineRequestDeps,
  request: GenerationRequest,
  edits: readonly ContextEdit[],
  principal: Principal,
): Promise<EditedRequest> {
  if (edits.length === 0) return { request, applied: [] };
  const model = modelNames(request.model, usableModel(models, request.model));
  authorise(principal, { endpoint: "chat", model });
  return applyContextEdits(generator, request, edits, principal.team.id, new AbortController().signal);
}

async function responseLine(
  deps: LineRequestDeps,
  value: unknown,
  text: string | null,
  owner: StoredOwner,
): Promise<LineRequest> {
  const { storedResponses, conversations, clock, random } = deps;
  const parsed = parseResponsesRequest(value, text);
  refuse("stream", parsed.stream);
  refuse("background", parsed.background);
  // Lines run at the same time, and a conversation takes one response at a time.
  refuse("conversation", parsed.conversationId !== null);
  refuse("generate", !parsed.generates);
  if (parsed.store) await storedResponses.refuseWhenFull();
  const { before, ownInput } = await findItems(deps, parsed, owner.teamId);
  const items = [...before, ...ownInput];
  const request = withToolsOfItems(parsed, items);
  return textLine(deps, generationRequest(request, items), ({ created, model, modelName }) => {
    const encoder = createResponseEncoder({
      id: `resp_${random.id().replaceAll("-", "")}`,
      created,
      model,
      modelName,
      request,
      now: () => Math.floor(clock.now() / 1000),
    });
    const body = (): object => encoder.response();
    if (!request.store) {
      encoder.open();
      return { add: (event) => encoder.add(event), body };
    }
    const createTime = created * 1000;
    const recorder = createResponseRecorder({
      storedResponses,
      encoder,
      owner,
      createTime,
      ownInput,
      conversations,
      conversationId: null,
      streamed: false,
    });
    return { add: (event) => recorder.add(event), writes: (end) => recorder.writes(end) ?? [], body };
  });
}

interface Identity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  readonly modelName: string;
}

function textLine(
  deps: LineRequestDeps,
  request: GenerationRequest,
  createFold: (identity: Identity) => Fold,
): LineRequest {
  const { models, clock, random, pricePercent } = deps;
  const model = atPercent(usableModel(models, request.model), pricePercent);
  return {
    modelName: request.model,
    model,
    prompt: completeRequest(request, model),
    endUser: endUserOf(request.labels),
    open() {
      const created = Math.floor(clock.now() / 1000);
      const fold = createFold({ id: random.id(), created, model, modelName: request.model });
      return startText(deps, request, fold, pricePercent);
    },
  };
}

function refuse(field: string, isRequested: boolean): void {
  if (isRequested) throw invalidValue(field, "is not allowed in a batch");
}
