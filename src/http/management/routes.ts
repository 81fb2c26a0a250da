/** The part of the route table that requires management keys: keys, teams, members, audit log and billing. */
import { exportAudit, exportAuditDocs } from "../admin/export/audit.js";
import { exportLedger, exportLedgerDocs } from "../admin/export/ledger.js";
import { exportUsage, exportUsageDocs } from "../admin/export/usage.js";
import { getRequest, getRequestDocs, listRequests, listRequestsDocs } from "../admin/requests.js";
import { deleteRequestBodies, deleteRequestBodiesDocs } from "../admin/requests/bodies.js";
import { cancelRequest, cancelRequestDocs } from "../admin/requests/cancel.js";
import { getDoctor, getDoctorDocs } from "../admin/doctor.js";
import { getOverview, getOverviewDocs } from "../admin/overview.js";
import { listAuditEventsDocs, listAuditEvents } from "../audit/teams/events.js";
import {
  createAccessGroup,
  createAccessGroupDocs,
  deleteAccessGroup,
  deleteAccessGroupDocs,
  getAccessGroup,
  getAccessGroupDocs,
  listAccessGroups,
  listAccessGroupsDocs,
  updateAccessGroup,
  updateAccessGroupDocs,
} from "../auth/access-groups.js";
import { deleteApiKey, deleteApiKeyDocs, updateApiKey, updateApiKeyDocs } from "../auth/api-keys.js";
import { getApiKeyPropagationDocs, getApiKeyPropagation } from "../auth/api-keys/propagation.js";
import { rotateApiKey, rotateApiKeyDocs } from "../auth/api-keys/rotate.js";
import { deleteMember, deleteMemberDocs, updateMember, updateMemberDocs } from "../auth/members.js";
import { getManagementKeyDocs, getManagementKey } from "../auth/management-keys/validation.js";
import {
  createTeam,
  createTeamDocs,
  listTeams,
  listTeamsDocs,
  updateTeam,
  updateTeamDocs,
} from "../auth/teams.js";
import { createApiKey, createApiKeyDocs, listApiKeysDocs, listApiKeys } from "../auth/teams/api-keys.js";
import { listBudgets, listBudgetsDocs, updateBudget, updateBudgetDocs } from "../auth/teams/budgets.js";
import { listTeamEndpoints, listTeamEndpointsDocs } from "../auth/teams/endpoints.js";
import { createSignInLink, createSignInLinkDocs } from "../auth/members/sign-in-links.js";
import { createMember, createMemberDocs, listMembers, listMembersDocs } from "../auth/teams/members.js";
import {
  listTeamLimits,
  listTeamLimitsDocs,
  updateTeamLimits,
  updateTeamLimitsDocs,
} from "../auth/teams/limits.js";
import { listTeamModels, listTeamModelsDocs } from "../auth/teams/models.js";
import type { HttpDeps } from "../deps.js";
import { getInvoicePreviewDocs, getInvoicePreview } from "../v1/billing/teams/postpaid/invoice/preview.js";
import {
  updateSpendingLimit,
  updateSpendingLimitDocs,
  getSpendingLimitsDocs,
  getSpendingLimits,
} from "../v1/billing/teams/postpaid/spending-limits.js";
import { getPrepaidBalanceDocs, getPrepaidBalance } from "../v1/billing/teams/prepaid/balance.js";
import { createTopUp, createTopUpDocs } from "../v1/billing/teams/prepaid/top-up.js";
import { getUsage, getUsageDocs } from "../v1/billing/teams/usage.js";
import { forAllTeams, managementRoute, withoutBody, type Route } from "../route.js";
import { alertRoutes } from "./alert-routes.js";
import { modelRoutes } from "./model-routes.js";
import { storedRoutes } from "./stored-routes.js";

/** Returns the routes of the management API. @param routes returns the complete route table. */
export function managementRoutes(deps: HttpDeps, routes: () => readonly Route[]): readonly Route[] {
  return [
    ...keyRoutes(deps),
    ...teamRoutes(deps, routes),
    ...budgetRoutes(deps),
    ...accessGroupRoutes(deps),
    ...memberRoutes(deps),
    ...billingRoutes(deps),
    ...modelRoutes(deps),
    ...requestRoutes(deps),
    ...storedRoutes(deps),
    ...exportRoutes(deps),
    ...alertRoutes(deps),
    forAllTeams(managementRoute("GET", "/admin/doctor", "ServerRead", getDoctor(deps), getDoctorDocs)),
    managementRoute("GET", "/admin/overview", "BillingRead", getOverview(deps), getOverviewDocs),
  ];
}

function exportRoutes(deps: HttpDeps): readonly Route[] {
  return [
    managementRoute("GET", "/admin/export/usage", "BillingRead", exportUsage(deps), exportUsageDocs),
    managementRoute("GET", "/admin/export/ledger", "BillingRead", exportLedger(deps), exportLedgerDocs),
    managementRoute("GET", "/admin/export/audit", "AuditRead", exportAudit(deps), exportAuditDocs),
  ];
}

function requestRoutes(deps: HttpDeps): readonly Route[] {
  const [all, one] = ["/admin/requests", "/admin/requests/:runId"];
  const cancelling = "/admin/requests/:runId/cancel";
  return [
    managementRoute("GET", all, "ListRequests", listRequests(deps), listRequestsDocs),
    managementRoute("GET", one, "ListRequests", getRequest(deps), getRequestDocs),
    managementRoute(
      "DELETE",
      "/admin/requests/:runId/bodies",
      "DeleteRequestBodies",
      deleteRequestBodies(deps),
      deleteRequestBodiesDocs,
    ),
    withoutBody(managementRoute("POST", cancelling, "CancelRequest", cancelRequest(deps), cancelRequestDocs)),
  ];
}

function keyRoutes(deps: HttpDeps): readonly Route[] {
  return [
    managementRoute(
      "POST",
      "/auth/teams/:teamId/api-keys",
      "CreateApiKey",
      createApiKey(deps),
      createApiKeyDocs,
    ),
    managementRoute("GET", "/auth/teams/:teamId/api-keys", "ListApiKeys", listApiKeys(deps), listApiKeysDocs),
    managementRoute("PUT", "/auth/api-keys/:apiKeyId", "UpdateApiKey", updateApiKey(deps), updateApiKeyDocs),
    managementRoute(
      "DELETE",
      "/auth/api-keys/:apiKeyId",
      "DeleteApiKey",
      deleteApiKey(deps),
      deleteApiKeyDocs,
    ),
    managementRoute(
      "POST",
      "/auth/api-keys/:apiKeyId/rotate",
      "RotateApiKey",
      rotateApiKey(deps),
      rotateApiKeyDocs,
    ),
    managementRoute(
      "GET",
      "/auth/api-keys/:apiKeyId/propagation",
      "CheckApiKeyPropagation",
      getApiKeyPropagation(deps),
      getApiKeyPropagationDocs,
    ),
    managementRoute(
      "GET",
      "/auth/management-keys/validation",
      null,
      getManagementKey(deps),
      getManagementKeyDocs,
    ),
  ];
}

function teamRoutes(deps: HttpDeps, routes: () => readonly Route[]): readonly Route[] {
  return [
    forAllTeams(managementRoute("POST", "/auth/teams", "CreateTeam", createTeam(deps), createTeamDocs)),
    managementRoute("GET", "/auth/teams", "ListTeams", listTeams(deps), listTeamsDocs),
    managementRoute("PUT", "/auth/teams/:teamId", "UpdateTeam", updateTeam(deps), updateTeamDocs),
    managementRoute(
      "GET",
      "/auth/teams/:teamId/models",
      "ListModels",
      listTeamModels(deps),
      listTeamModelsDocs,
    ),
    managementRoute(
      "GET",
      "/auth/teams/:teamId/limits",
      "ListTeams",
      listTeamLimits(deps),
      listTeamLimitsDocs,
    ),
    forAllTeams(
      managementRoute(
        "PUT",
        "/auth/teams/:teamId/limits",
        "UpdateTeam",
        updateTeamLimits(deps),
        updateTeamLimitsDocs,
      ),
    ),
    managementRoute(
      "GET",
      "/auth/teams/:teamId/endpoints",
      "ListPossibleEndpointAcls",
      listTeamEndpoints(deps, routes),
      listTeamEndpointsDocs,
    ),
    managementRoute(
      "GET",
      "/audit/teams/:teamId/events",
      "AuditRead",
      listAuditEvents(deps),
      listAuditEventsDocs,
    ),
  ];
}

function accessGroupRoutes(deps: HttpDeps): readonly Route[] {
  const [all, one] = ["/auth/access-groups", "/auth/access-groups/:groupName"];
  const [get, list] = [getAccessGroup(deps), listAccessGroups(deps)];
  const [create, update, remove] = [
    createAccessGroup(deps),
    updateAccessGroup(deps),
    deleteAccessGroup(deps),
  ];
  return [
    managementRoute("GET", all, "ListAccessGroups", list, listAccessGroupsDocs),
    forAllTeams(managementRoute("POST", all, "CreateAccessGroup", create, createAccessGroupDocs)),
    managementRoute("GET", one, "ListAccessGroups", get, getAccessGroupDocs),
    forAllTeams(managementRoute("PUT", one, "UpdateAccessGroup", update, updateAccessGroupDocs)),
    forAllTeams(managementRoute("DELETE", one, "DeleteAccessGroup", remove, deleteAccessGroupDocs)),
  ];
}

function budgetRoutes(deps: HttpDeps): readonly Route[] {
  const path = "/auth/teams/:teamId/budgets";
  return [
    managementRoute("GET", path, "BillingRead", listBudgets(deps), listBudgetsDocs),
    managementRoute("PUT", path, "BillingWrite", updateBudget(deps), updateBudgetDocs),
  ];
}

function memberRoutes(deps: HttpDeps): readonly Route[] {
  return [
    managementRoute(
      "POST",
      "/auth/teams/:teamId/members",
      "CreateMember",
      createMember(deps),
      createMemberDocs,
    ),
    managementRoute("GET", "/auth/teams/:teamId/members", "ListMembers", listMembers(deps), listMembersDocs),
    managementRoute("PUT", "/auth/members/:memberId", "UpdateMember", updateMember(deps), updateMemberDocs),
    managementRoute(
      "DELETE",
      "/auth/members/:memberId",
      "DeleteMember",
      deleteMember(deps),
      deleteMemberDocs,
    ),
    withoutBody(
      managementRoute(
        "POST",
        "/auth/members/:memberId/sign-in-links",
        "UpdateMember",
        createSignInLink(deps),
        createSignInLinkDocs,
      ),
    ),
  ];
}

function billingRoutes(deps: HttpDeps): readonly Route[] {
  return [
    managementRoute(
      "GET",
      "/v1/billing/teams/:teamId/prepaid/balance",
      "BillingRead",
      getPrepaidBalance(deps),
      getPrepaidBalanceDocs,
    ),
    forAllTeams(
      managementRoute(
        "POST",
        "/v1/billing/teams/:teamId/prepaid/top-up",
        "BillingWrite",
        createTopUp(deps),
        createTopUpDocs,
      ),
    ),
    managementRoute(
      "GET",
      "/v1/billing/teams/:teamId/postpaid/spending-limits",
      "BillingRead",
      getSpendingLimits(deps),
      getSpendingLimitsDocs,
    ),
    managementRoute(
      "POST",
      "/v1/billing/teams/:teamId/postpaid/spending-limits",
      "BillingWrite",
      updateSpendingLimit(deps),
      updateSpendingLimitDocs,
    ),
    managementRoute(
      "GET",
      "/v1/billing/teams/:teamId/postpaid/invoice/preview",
      "BillingRead",
      getInvoicePreview(deps),
      getInvoicePreviewDocs,
    ),
    managementRoute("POST", "/v1/billing/teams/:teamId/usage", "BillingRead", getUsage(deps), getUsageDocs),
  ];
}
