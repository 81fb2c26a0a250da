/** Responses: answered while the client waits, in the background, or as the line of a batch; stored unless `store` is false. */
import type { Model, ModelRegistry } from "../../core/model.js";
import {
  createResponseEncoder,
  type ResponseEncoder,
  type ResponseIdentity,
} from "../../dialects/openai-responses/encode.js";
import {
  generationRequest,
  parseResponsesRequest,
  withToolsOfItems,
  type ResponsesRequest,
} from "../../dialects/openai-responses/parse.js";
import { responsesErrorEvent } from "../../dialects/openai-responses/errors.js";
import { doneFrame, eventFrame, pingFrame } from "../../dialects/sse.js";
import { toStoredOwner } from "../../inference/stored-owner.js";
import type { AnswerContext } from "../context.js";
import {
  refuseInBatch,
  requestsStream,
  type Asking,
  type JsonPresenter,
  type ReadyRequest,
  type StreamForm,
  type StreamPresenter,
  type TextEndpoint,
} from "../endpoint.js";
import { joinItems, findItems, itemsToStore, type RequestItems } from "./conversation-items.js";
import { listMcpTools, refuseUsedApprovals } from "./mcp.js";
import { createResponseRecorder } from "./response-recorder.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import { authorise, mayUseModel, modelNames } from "../../accounts/principals/permissions.js";
import { HearthError, modelNotFound } from "../../core/errors.js";
import type { ServerToolOffer } from "../../dialects/openai-responses/tools/server-tools.js";
import { createImageTool, type ImageToolDeps } from "../../inference/images/image-tool.js";
import type { ServerTool } from "../../inference/run/run-context.js";
import { usableModel } from "../../inference/usable-model.js";

/** A response that is to be generated. */
interface NewResponse {
  /** The id of the response. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

/** A request whose conversation is known. */
export interface ResponseAnswer extends ReadyRequest, NewResponse {
  readonly response: ResponsesRequest;
  readonly items: RequestItems;
}

export interface ReadResponse {
  readonly request: ResponsesRequest;
}

export const responses: TextEndpoint<ReadResponse, ResponseAnswer> = {
  streamForm: (unread) => (requestsStream(unread) ? responseForm : null),
  takesFiles: true,
  parse(asking, whole, app) {
    const offer = asking.isLine ? undefined : serverToolOffer(app, asking.principal);
    const request = parseResponsesRequest(whole, asking.bodyText, offer);
    const { stream, background, conversationId, generates } = request;
    // Lines run at the same time, and a conversation takes one response at a time.
    const conversation = conversationId !== null;
    refuseInBatch(asking, { stream, background, conversation, generate: !generates });
    return { request };
  },
  async load({ principal, isLine }, { request: parsed }, app) {
    const { id: teamId } = principal.team;
    const { conversationId } = parsed;
    if (parsed.store) await app.storedResponses.refuseWhenFull();
    const createTime = app.clock.now();
    // No other response is generated in the conversation until this one has ended.
    const release =
      conversationId === null ? undefined : await app.conversations.lock(conversationId, teamId);
    try {
      const items = await findItems(app, parsed, teamId);
      if (!isLine && parsed.generates) await refuseUsedApprovals(app.mcpApprovals, items, teamId);
      const id = `resp_${app.random.id().replaceAll("-", "")}`;
      if (conversationId !== null)
        await app.conversations.refuseItems(conversationId, itemsToStore(items.ownInput, id));
      const ready = readyResponse(withToolsOfItems(parsed, joinItems(items)), items, { id, createTime });
      return { ...ready, close: release };
    } catch (thrown) {
      release?.();
      throw thrown;
    }
  },
  prepare: listTools,
  present(ready, given, app) {
    const { response, items, createTime } = ready;
    const identity = identifyResponse(ready, given.model, app);
    if (!response.store)
      return {
        stream: () => streamPresenter(identity),
        json: () => presentFolded(createResponseEncoder(identity)),
      };
    const encoder = createResponseEncoder(identity);
    return {
      // A stream has an encoder of its own: the events that a client receives can be split differently from the recorded ones.
      stream: () => streamPresenter(identity),
      json: () => presentRecorded(encoder),
      recorder: createResponseRecorder({
        storedResponses: app.storedResponses,
        encoder,
        owner: toStoredOwner(given.principal),
        createTime,
        ownInput: items.ownInput,
        conversations: app.conversations,
        conversationId: response.conversationId,
        streamed: response.stream,
      }),
    };
  },
};

/** Returns a request that runs with these items. */
export function readyResponse(
  response: ResponsesRequest,
  items: RequestItems,
  { id, createTime }: NewResponse,
): ResponseAnswer {
  const request = generationRequest(response, joinItems(items));
  return { id, createTime, response, items, request, stream: response.stream };
}

/** Returns what the response says of itself. */
export function identifyResponse(
  { id, createTime, response, request: { model: modelName } }: ResponseAnswer,
  model: Model,
  { clock }: AnswerContext,
): ResponseIdentity {
  const created = Math.floor(createTime / 1000);
  const now = memoize(() => Math.floor(clock.now() / 1000));
  return { id, created, model, modelName, request: response, now };
}

/** Lists the tools of MCP servers, which are asked only for a request that may run. */
async function listTools(
  { principal, isLine, signal }: Asking,
  ready: ResponseAnswer,
  app: AnswerContext,
): Promise<ResponseAnswer> {
  if (isLine) return ready;
  const { response, items } = ready;
  if (response.mcpServers.length > 0) await app.generator.refuse(ready.request.model, principal);
  const listed = await listMcpTools(app, response, items, signal);
  return {
    ...readyResponse(listed.request, items, ready),
    serverTools: [...createServerTools(app, listed.request, principal), ...listed.mcpTools],
    allowedCalls: listed.allowedCalls(app.mcpApprovals, principal.team.id),
    close() {
      listed.close();
      ready.close?.();
    },
  };
}

function streamPresenter(identity: ResponseIdentity): StreamPresenter {
  const encoder = createResponseEncoder(identity);
  let opened = false;
  const frame = (event: { readonly type: string }): string => eventFrame(event.type, event);
  return {
    frames(event) {
      const opening = opened ? [] : encoder.open();
      opened = true;
      return [...opening, ...encoder.add(event)].map(frame);
    },
    closing: doneFrame,
    failure: (error, usage) => [...encoder.fail(error, usage).map(frame), doneFrame].join(""),
  };
}

/** A refused request has no response: the error is an event of its own. */
const responseForm: StreamForm = {
  ping: pingFrame,
  refusal(error) {
    const event = responsesErrorEvent(error, 0);
    return eventFrame(event.type, event) + doneFrame;
  },
};

/** Presents the response of the run's recorder, which has already folded the events, so that it equals the stored one. */
export function presentRecorded(encoder: ResponseEncoder): JsonPresenter {
  return { add: () => undefined, body: () => encoder.response() };
}

function presentFolded(encoder: ResponseEncoder): JsonPresenter {
  encoder.open();
  return { add: (event) => encoder.add(event), body: () => encoder.response() };
}

/** Computes a value once, so that the stored response and the sent response have the same time. */
function memoize(compute: () => number): () => number {
  let value: number | null = null;
  return () => (value ??= compute());
}

// The tools of a response whose calls the server executes: what is offered to a key, and what executes the calls.

interface ServerToolDeps extends ImageToolDeps {
  readonly models: ModelRegistry;
}

/** Returns what the server executes for a key. */
function serverToolOffer({ models }: ServerToolDeps, principal: Principal): ServerToolOffer {
  return {
    mcp: new Map(),
    imageGeneration(name) {
      if (imageModels(models).length === 0) return "none";
      try {
        imageModel(models, principal, name);
        return null;
      } catch (thrown) {
        if (thrown instanceof HearthError) return thrown;
        throw thrown;
      }
    },
  };
}

/** Returns what executes the calls of a request's tools. */
function createServerTools(
  deps: ServerToolDeps,
  { serverTools }: ResponsesRequest,
  principal: Principal,
): readonly ServerTool[] {
  return serverTools.map(({ type, model: name, ...settings }) => {
    const model = imageModel(deps.models, principal, name);
    const { id } = model.manifest;
    return createImageTool(deps, type, { ...settings, model: name ?? id, modelId: id });
  });
}

/** @param name null = the first one. @throws HearthError why the key cannot use the model. */
function imageModel(models: ModelRegistry, principal: Principal, name: string | null): Model {
  if (name === null) {
    authorise(principal, { endpoint: "image", model: null });
    const first = imageModels(models).find((model) => mayUseModel(principal, model));
    if (first === undefined) throw noImageModel();
    return first;
  }
  const model = models.find(name);
  authorise(principal, { endpoint: "image", model: modelNames(name, model) });
  if (model === null) throw modelNotFound(name, []);
  return usableModel(models, name, "image");
}

function imageModels(models: ModelRegistry): readonly Model[] {
  return models.list().filter(({ manifest, unusable }) => manifest.kind === "image" && unusable === null);
}

function noImageModel(): HearthError {
  return new HearthError("permission_denied", "This API key has no access to an image model.");
}
