/**
 * The one table of routes: what exists, who may call it, under which endpoint ACL. server.ts builds the router from it and
 * nothing else, so that a route which is not here does not exist, and none is open by oversight. The OpenAPI document is
 * made of the very same rows.
 */
import { auditEventsDocs, listAuditEvents } from "./audit/teams/events.js";
import { deleteKey, deleteKeyDocs, updateKey, updateKeyDocs } from "./auth/api-keys.js";
import { propagationDocs, tellPropagation } from "./auth/api-keys/propagation.js";
import { rotateKey, rotateKeyDocs } from "./auth/api-keys/rotate.js";
import { deleteMember, deleteMemberDocs, updateMember, updateMemberDocs } from "./auth/members.js";
import { managementKeyDocs, presentManagementKey } from "./auth/management-keys/validation.js";
import {
  createTeam,
  createTeamDocs,
  listTeams,
  teamListDocs,
  updateTeam,
  updateTeamDocs,
} from "./auth/teams.js";
import { createKey, createKeyDocs, keyListDocs, listKeys } from "./auth/teams/api-keys.js";
import { listTeamEndpoints, teamEndpointsDocs } from "./auth/teams/endpoints.js";
import { createMember, createMemberDocs, listMembers, memberListDocs } from "./auth/teams/members.js";
import {
  listTeamLimits,
  teamLimitListDocs,
  updateTeamLimits,
  updateTeamLimitsDocs,
} from "./auth/teams/limits.js";
import { listTeamModels, teamModelsDocs } from "./auth/teams/models.js";
import type { BuiltDeps } from "./deps.js";
import { invoicePreviewDocs, previewInvoice } from "./v1/billing/teams/postpaid/invoice/preview.js";
import {
  setSpendingLimit,
  setSpendingLimitDocs,
  spendingLimitsDocs,
  tellSpendingLimits,
} from "./v1/billing/teams/postpaid/spending-limits.js";
import { balanceDocs, tellBalance } from "./v1/billing/teams/prepaid/balance.js";
import { topUp, topUpDocs } from "./v1/billing/teams/prepaid/top-up.js";
import { tellUsage, usageDocs } from "./v1/billing/teams/usage.js";
import { apiKeyDocs, presentApiKey } from "./v1/api-key.js";
import { chatCompletionDocs, createChatCompletion } from "./v1/chat/completions.js";
import { deferredCompletionDocs, takeDeferredCompletion } from "./v1/chat/deferred-completion.js";
import { completeDocs, createComplete } from "./v1/complete.js";
import { completionDocs, createCompletion } from "./v1/completions.js";
import { listModelsInMemory, modelsInMemoryDocs } from "./v1/hearth/ps.js";
import {
  findImageGenerationModel,
  imageModelDocs,
  imageModelListDocs,
  listImageGenerationModels,
} from "./v1/image-generation-models.js";
import {
  findLanguageModel,
  languageModelDocs,
  languageModelListDocs,
  listLanguageModels,
} from "./v1/language-models.js";
import { createImages, imagesDocs } from "./v1/images/generations.js";
import { createMessage, messageDocs } from "./v1/messages.js";
import { countMessageTokens, messageTokensDocs } from "./v1/messages/count-tokens.js";
import { findModel, listModels, modelDocs, modelListDocs } from "./v1/models.js";
import {
  createResponse,
  deletedResponseDocs,
  deleteResponse,
  findResponse,
  foundResponseDocs,
  responseDocs,
} from "./v1/responses.js";
import { cancelledResponseDocs, cancelResponse } from "./v1/responses/cancel.js";
import { compactConversation, compactionDocs } from "./v1/responses/compact.js";
import { inputItemsDocs, listInputItems } from "./v1/responses/input-items.js";
import { countInputTokens, inputTokensDocs } from "./v1/responses/input-tokens.js";
import { tokenizeText, tokenizeTextDocs } from "./v1/tokenize-text.js";
import { docsPageDocs, presentDocsPage, redirectBrowsers, redirectDocs } from "./docs.js";
import { guideDocs, guideListDocs, presentGuides } from "./docs/guides.js";
import { openGuidesFolder } from "./docs/guides/folder.js";
import { pictureDocs, presentPicture } from "./docs/guides/pictures.js";
import { healthDocs, presentHealth } from "./healthz.js";
import { imageDocs, presentImage } from "./images.js";
import { metricsDocs, presentMetrics, presentMetricsToKeys } from "./metrics.js";
import { openApiDocs, presentOpenApi } from "./openapi-json.js";
import { presentReadiness, readinessDocs } from "./readyz.js";
import {
  anthropicRoute,
  keyedRoute,
  managementRoute,
  openRoute,
  type GuardedRoute,
  type Route,
} from "./route.js";
import type { RouteDocs } from "./route-docs.js";

/** Every route of this server. */
export function createRoutes(deps: BuiltDeps): readonly Route[] {
  const routes: readonly Route[] = [
    ...textRoutes(deps),
    ...responseRoutes(deps),
    keyedRoute("POST", "/v1/images/generations", "image", createImages(deps), imagesDocs),
    openRoute("GET", "/images/:name", presentImage(deps), imageDocs),
    ...modelRoutes(deps),
    keyedRoute("GET", "/v1/api-key", null, presentApiKey, apiKeyDocs),
    ...keyRoutes(deps),
    ...teamRoutes(deps, () => routes),
    ...memberRoutes(deps),
    ...billingRoutes(deps),
    ...serverRoutes(deps),
    openRoute(
      "GET",
      "/openapi.json",
      presentOpenApi(() => routes, deps.version),
      openApiDocs,
    ),
    ...documentationRoutes(deps),
  ];
  return routes;
}

function textRoutes(deps: BuiltDeps): readonly Route[] {
  const deferred = takeDeferredCompletion(deps);
  return [
    keyedRoute("POST", "/v1/chat/completions", "chat", createChatCompletion(deps), chatCompletionDocs),
    keyedRoute("GET", "/v1/chat/deferred-completion/:request_id", "chat", deferred, deferredCompletionDocs),
    anthropicRoute("POST", "/v1/messages", "chat", createMessage(deps), messageDocs),
    anthropicRoute("POST", "/v1/messages/count_tokens", "chat", countMessageTokens(deps), messageTokensDocs),
    keyedRoute("POST", "/v1/completions", "sample", createCompletion(deps), completionDocs),
    anthropicRoute("POST", "/v1/complete", "sample", createComplete(deps), completeDocs),
    keyedRoute("POST", "/v1/tokenize-text", "tokenize", tokenizeText(deps), tokenizeTextDocs),
  ];
}

function responseRoutes(deps: BuiltDeps): readonly Route[] {
  const row = (
    method: Route["method"],
    path: string,
    handler: GuardedRoute["handler"],
    docs: RouteDocs,
  ): GuardedRoute => keyedRoute(method, path, "chat", handler, docs);
  return [
    row("POST", "/v1/responses", createResponse(deps), responseDocs),
    row("POST", "/v1/responses/input_tokens", countInputTokens(deps), inputTokensDocs),
    row("POST", "/v1/responses/compact", compactConversation(deps), compactionDocs),
    row("GET", "/v1/responses/:response_id", findResponse(deps), foundResponseDocs),
    row("DELETE", "/v1/responses/:response_id", deleteResponse(deps), deletedResponseDocs),
    row("GET", "/v1/responses/:response_id/input_items", listInputItems(deps), inputItemsDocs),
    {
      ...row("POST", "/v1/responses/:response_id/cancel", cancelResponse(deps), cancelledResponseDocs),
      takesBody: false,
    },
  ];
}

function modelRoutes(deps: BuiltDeps): readonly Route[] {
  const row = (path: string, handler: GuardedRoute["handler"], docs: RouteDocs) =>
    keyedRoute("GET", path, "models", handler, docs);
  return [
    row("/v1/models", listModels(deps), modelListDocs),
    row("/v1/models/*id", findModel(deps), modelDocs),
    row("/v1/language-models", listLanguageModels(deps), languageModelListDocs),
    row("/v1/language-models/*id", findLanguageModel(deps), languageModelDocs),
    row("/v1/image-generation-models", listImageGenerationModels(deps), imageModelListDocs),
    row("/v1/image-generation-models/*id", findImageGenerationModel(deps), imageModelDocs),
    row("/v1/hearth/ps", listModelsInMemory(deps), modelsInMemoryDocs),
  ];
}

function keyRoutes(deps: BuiltDeps): readonly Route[] {
  const row = managementRoute;
  return [
    row("POST", "/auth/teams/:teamId/api-keys", "CreateApiKey", createKey(deps), createKeyDocs),
    row("GET", "/auth/teams/:teamId/api-keys", "ListApiKeys", listKeys(deps), keyListDocs),
    row("PUT", "/auth/api-keys/:apiKeyId", "UpdateApiKey", updateKey(deps), updateKeyDocs),
    row("DELETE", "/auth/api-keys/:apiKeyId", "DeleteApiKey", deleteKey(deps), deleteKeyDocs),
    row("POST", "/auth/api-keys/:apiKeyId/rotate", "RotateApiKey", rotateKey(deps), rotateKeyDocs),
    row(
      "GET",
      "/auth/api-keys/:apiKeyId/propagation",
      "CheckApiKeyPropagation",
      tellPropagation(deps),
      propagationDocs,
    ),
    row("GET", "/auth/management-keys/validation", null, presentManagementKey(deps), managementKeyDocs),
  ];
}

function teamRoutes(deps: BuiltDeps, routes: () => readonly Route[]): readonly Route[] {
  const row = managementRoute;
  const endpoints = listTeamEndpoints(deps, routes);
  return [
    row("POST", "/auth/teams", "CreateTeam", createTeam(deps), createTeamDocs),
    row("GET", "/auth/teams", "ListTeams", listTeams(deps), teamListDocs),
    row("PUT", "/auth/teams/:teamId", "UpdateTeam", updateTeam(deps), updateTeamDocs),
    row("GET", "/auth/teams/:teamId/models", "ListModels", listTeamModels(deps), teamModelsDocs),
    row("GET", "/auth/teams/:teamId/limits", "ListTeams", listTeamLimits(deps), teamLimitListDocs),
    row("PUT", "/auth/teams/:teamId/limits", "UpdateTeam", updateTeamLimits(deps), updateTeamLimitsDocs),
    row("GET", "/auth/teams/:teamId/endpoints", "ListPossibleEndpointAcls", endpoints, teamEndpointsDocs),
    row("GET", "/audit/teams/:teamId/events", "AuditRead", listAuditEvents(deps), auditEventsDocs),
  ];
}

function memberRoutes(deps: BuiltDeps): readonly Route[] {
  const row = managementRoute;
  return [
    row("POST", "/auth/teams/:teamId/members", "CreateMember", createMember(deps), createMemberDocs),
    row("GET", "/auth/teams/:teamId/members", "ListMembers", listMembers(deps), memberListDocs),
    row("PUT", "/auth/members/:memberId", "UpdateMember", updateMember(deps), updateMemberDocs),
    row("DELETE", "/auth/members/:memberId", "DeleteMember", deleteMember(deps), deleteMemberDocs),
  ];
}

function billingRoutes(deps: BuiltDeps): readonly Route[] {
  const [row, read, write] = [managementRoute, "BillingRead", "BillingWrite"] as const;
  const [balance, limits, limit] = [tellBalance(deps), tellSpendingLimits(deps), setSpendingLimit(deps)];
  const invoice = previewInvoice(deps);
  return [
    row("GET", "/v1/billing/teams/:teamId/prepaid/balance", read, balance, balanceDocs),
    row("POST", "/v1/billing/teams/:teamId/prepaid/top-up", write, topUp(deps), topUpDocs),
    row("GET", "/v1/billing/teams/:teamId/postpaid/spending-limits", read, limits, spendingLimitsDocs),
    row("POST", "/v1/billing/teams/:teamId/postpaid/spending-limits", write, limit, setSpendingLimitDocs),
    row("GET", "/v1/billing/teams/:teamId/postpaid/invoice/preview", read, invoice, invoicePreviewDocs),
    row("POST", "/v1/billing/teams/:teamId/usage", read, tellUsage(deps), usageDocs),
  ];
}

function serverRoutes(deps: BuiltDeps): readonly Route[] {
  return [
    openRoute("GET", "/healthz", presentHealth, healthDocs),
    openRoute("GET", "/readyz", presentReadiness(deps), readinessDocs),
    deps.metricsOpen
      ? openRoute("GET", "/metrics", presentMetrics(deps), metricsDocs)
      : keyedRoute("GET", "/metrics", "metrics", presentMetricsToKeys(deps), metricsDocs),
  ];
}

function documentationRoutes(deps: BuiltDeps): readonly Route[] {
  const folder = openGuidesFolder(deps.guidesFolder);
  const guides = presentGuides(folder);
  return [
    openRoute("GET", "/docs", presentDocsPage(), docsPageDocs),
    openRoute("GET", "/docs/guides", guides.list, guideListDocs),
    openRoute("GET", "/docs/guides/:name", guides.guide, guideDocs),
    openRoute("GET", "/docs/guides/pictures/:name", presentPicture(folder), pictureDocs),
    openRoute("GET", "/", redirectBrowsers, redirectDocs),
  ];
}
