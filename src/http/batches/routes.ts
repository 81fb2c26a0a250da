/** The rows of the route table for batches and for the files that they and prompts read. */
import type { HttpDeps } from "../deps.js";
import { anthropicRoute, apiKeyRoute, forBothClients, withForm, withoutBody, type Route } from "../route.js";
import {
  createBatch,
  createBatchDocs,
  getBatch,
  getBatchDocs,
  listBatches,
  listBatchesDocs,
} from "../v1/batches.js";
import { cancelBatch, cancelBatchDocs } from "../v1/batches/cancel.js";
import {
  createFile,
  createFileDocs,
  deleteFile,
  deleteFileDocs,
  getFile,
  getFileDocs,
  listFiles,
  listFilesDocs,
} from "../v1/files.js";
import { getFileContent, getFileContentDocs } from "../v1/files/content.js";
import {
  createMessageBatch,
  createMessageBatchDocs,
  deleteMessageBatch,
  deleteMessageBatchDocs,
  getMessageBatch,
  getMessageBatchDocs,
  listMessageBatches,
  listMessageBatchesDocs,
} from "../v1/messages/batches.js";
import { cancelMessageBatch, cancelMessageBatchDocs } from "../v1/messages/batches/cancel.js";
import { getMessageBatchResults, getMessageBatchResultsDocs } from "../v1/messages/batches/results.js";

/** Returns the routes of files and of both kinds of batches. */
export function batchRoutes(deps: HttpDeps): readonly Route[] {
  return [...fileRoutes(deps), ...openaiBatchRoutes(deps), ...messageBatchRoutes(deps)];
}

function fileRoutes(deps: HttpDeps): readonly Route[] {
  const content = getFileContent(deps);
  return [
    withForm(apiKeyRoute("POST", "/v1/files", "files", createFile(deps), createFileDocs)),
    apiKeyRoute("GET", "/v1/files", "files", listFiles(deps), listFilesDocs),
    apiKeyRoute("GET", "/v1/files/:file_id", "files", getFile(deps), getFileDocs),
    apiKeyRoute("DELETE", "/v1/files/:file_id", "files", deleteFile(deps), deleteFileDocs),
    apiKeyRoute("GET", "/v1/files/:file_id/content", "files", content, getFileContentDocs),
  ].map(forBothClients);
}

function openaiBatchRoutes(deps: HttpDeps): readonly Route[] {
  return [
    apiKeyRoute("POST", "/v1/batches", "batches", createBatch(deps), createBatchDocs),
    apiKeyRoute("GET", "/v1/batches", "batches", listBatches(deps), listBatchesDocs),
    apiKeyRoute("GET", "/v1/batches/:batch_id", "batches", getBatch(deps), getBatchDocs),
    withoutBody(
      apiKeyRoute("POST", "/v1/batches/:batch_id/cancel", "batches", cancelBatch(deps), cancelBatchDocs),
    ),
  ];
}

function messageBatchRoutes(deps: HttpDeps): readonly Route[] {
  const acl = "batches";
  const results = getMessageBatchResults(deps);
  const cancel = cancelMessageBatch(deps);
  const docs = { results: getMessageBatchResultsDocs, cancel: cancelMessageBatchDocs };
  return [
    anthropicRoute("POST", "/v1/messages/batches", acl, createMessageBatch(deps), createMessageBatchDocs),
    anthropicRoute("GET", "/v1/messages/batches", acl, listMessageBatches(deps), listMessageBatchesDocs),
    anthropicRoute(
      "GET",
      "/v1/messages/batches/:message_batch_id",
      acl,
      getMessageBatch(deps),
      getMessageBatchDocs,
    ),
    anthropicRoute(
      "DELETE",
      "/v1/messages/batches/:message_batch_id",
      acl,
      deleteMessageBatch(deps),
      deleteMessageBatchDocs,
    ),
    anthropicRoute("GET", "/v1/messages/batches/:message_batch_id/results", acl, results, docs.results),
    withoutBody(
      anthropicRoute("POST", "/v1/messages/batches/:message_batch_id/cancel", acl, cancel, docs.cancel),
    ),
  ];
}
