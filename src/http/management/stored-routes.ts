/** The part of the route table that manages what teams have stored. */
import { storedCompletion } from "../../dialects/openai-chat/stored/response-schema.js";
import { responseSchema } from "../../dialects/openai-responses/response-schema.js";
import {
  deleteStored,
  deleteStoredDocs,
  getStored,
  getStoredDocs,
  listStored,
  listStoredDocs,
  type StoredResource,
} from "../admin/stored.js";
import { cancelStored, cancelStoredDocs } from "../admin/stored/cancel.js";
import { getStoredContent, getStoredContentDocs } from "../admin/stored/content.js";
import type { HttpDeps } from "../deps.js";
import type { AnswerDocs } from "../route-docs.js";
import { managementRoute, withoutBody, type Route } from "../route.js";

interface Managed extends StoredResource {
  readonly isCancellable: boolean;
  /** Its content, for download; null where it has none here. */
  readonly content: AnswerDocs | null;
}

const deferred: Managed = {
  kind: "deferred-completions",
  param: "requestId",
  operation: "DeferredCompletion",
  operationOfAll: "DeferredCompletions",
  one: "deferred completion",
  many: "deferred completions",
  isCancellable: true,
  // Its client fetches it, once.
  content: null,
};

const responses: Managed = {
  kind: "responses",
  param: "responseId",
  operation: "Response",
  operationOfAll: "Responses",
  one: "stored response",
  many: "stored responses",
  isCancellable: true,
  content: { description: "The response.", schema: responseSchema },
};

const completions: Managed = {
  kind: "chat-completions",
  param: "completionId",
  operation: "ChatCompletion",
  operationOfAll: "ChatCompletions",
  one: "stored chat completion",
  many: "stored chat completions",
  isCancellable: false,
  content: { description: "The answer.", schema: storedCompletion },
};

const batches: Managed = {
  kind: "batches",
  param: "batchId",
  operation: "Batch",
  operationOfAll: "Batches",
  one: "batch",
  many: "batches",
  isCancellable: true,
  content: { description: "The output.", contentType: "application/octet-stream" },
};

const files: Managed = {
  kind: "files",
  param: "fileId",
  operation: "File",
  operationOfAll: "Files",
  one: "file",
  many: "files",
  isCancellable: false,
  content: { description: "The bytes of the file.", contentType: "application/octet-stream" },
};

/** Returns the routes of stored things. */
export function storedRoutes(deps: HttpDeps): readonly Route[] {
  return [deferred, responses, completions, batches, files].flatMap((resource) => routesOf(deps, resource));
}

function routesOf(deps: HttpDeps, resource: Managed): readonly Route[] {
  const { kind, param, isCancellable, content } = resource;
  const [all, one] = [`/admin/teams/:teamId/${kind}`, `/admin/${kind}/:${param}`];
  const cancel = managementRoute(
    "POST",
    `${one}/cancel`,
    "StoredWrite",
    cancelStored(deps, resource),
    cancelStoredDocs(resource),
  );
  return [
    managementRoute("GET", all, "StoredRead", listStored(deps, resource), listStoredDocs(resource)),
    managementRoute("GET", one, "StoredRead", getStored(deps, resource), getStoredDocs(resource)),
    managementRoute("DELETE", one, "StoredWrite", deleteStored(deps, resource), deleteStoredDocs(resource)),
    ...(content === null ? [] : [contentRoute(deps, resource, content)]),
    ...(isCancellable ? [withoutBody(cancel)] : []),
  ];
}

function contentRoute(deps: HttpDeps, resource: Managed, content: AnswerDocs): Route {
  return managementRoute(
    "GET",
    `/admin/${resource.kind}/:${resource.param}/content`,
    "StoredRead",
    getStoredContent(deps, resource),
    getStoredContentDocs(resource, content),
  );
}
