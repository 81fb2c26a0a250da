/** The part of the route table that manages what teams have stored. */
import { storedCompletion } from "../../../dialects/openai-chat/stored/response-schema.js";
import { responseSchema } from "../../../dialects/openai-responses/response-schema.js";
import { deleteStored, getStored, listStored, type StoredResource } from "./stored.js";
import { cancelStored } from "./cancel.js";
import { getStoredContent } from "./content.js";
import type { AnswerDocs } from "../../server/route-docs.js";
import type { ManagementRoute } from "../../server/route.js";

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

/** The routes of each kind. */
export const storedRoutes: readonly ManagementRoute[] = [
  deferred,
  responses,
  completions,
  batches,
  files,
].flatMap((resource) => [
  listStored(resource),
  getStored(resource),
  deleteStored(resource),
  ...(resource.content === null ? [] : [getStoredContent(resource, resource.content)]),
  ...(resource.isCancellable ? [cancelStored(resource)] : []),
]);
