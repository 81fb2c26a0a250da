/** The routes of the management API, each with a request that its key may send and one that is wrong. */
import { systemRandom } from "../../../../src/system/clock.js";
import { builtInModel } from "../../../kit/server/settings.js";

export interface Row {
  readonly route: string;
  /** The ACL that the route needs, and null for none. */
  readonly acl: string | null;
  readonly body?: object;
  /** For a body that can be sent only once. */
  readonly newBody?: () => object | undefined;
  /** An invalid body or query, and the field in the error. */
  readonly bad?: readonly [what: object | string, field: string];
  /** Status for a management key of another team if it is not 404. */
  readonly elsewhere?: number;
  /** Requires a management key for all teams. */
  readonly ofAllTeams?: true;
  /** Status of the request for a key that may send it, if it is not 200. */
  readonly status?: number | readonly number[];
  /** Whether errors are in Ollama's format. */
  readonly isOllama?: true;
}

const row = (route: string, acl: string | null, rest: Omit<Row, "route" | "acl"> = {}): Row => ({
  route,
  acl,
  ...rest,
});

const ollama = { ofAllTeams: true, isOllama: true } as const;

const analytics = (endTime: string) => ({
  analyticsRequest: {
    timeRange: { startTime: "2026-11-21 00:00:00", endTime, timezone: "UTC" },
    timeUnit: "TIME_UNIT_HOUR",
    values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
  },
});

const clearing = { period: "day", fieldMask: "hardUsd" };

/** Rows of one kind of stored things. What the other tests create may have ended when they ask. */
function storedRows(kind: string, param: string, more: readonly ("content" | "cancel")[]): readonly Row[] {
  const [all, one] = [`/admin/teams/:teamId/${kind}`, `/admin/${kind}/${param}`];
  const isBatch = kind === "batches";
  const statuses = { content: isBatch ? 409 : 200, cancel: [200, 409] } as const;
  return [
    row(`GET ${all}`, "StoredRead", { bad: ["?pageSize=many", "pageSize"] }),
    row(`GET ${one}`, "StoredRead"),
    row(`DELETE ${one}`, "StoredWrite", { status: isBatch ? [200, 409] : 200 }),
    ...(more.includes("content")
      ? [row(`GET ${one}/content`, "StoredRead", { status: statuses.content })]
      : []),
    ...(more.includes("cancel")
      ? [row(`POST ${one}/cancel`, "StoredWrite", { status: statuses.cancel })]
      : []),
  ];
}

export const table: readonly Row[] = [
  row("POST /auth/teams/:teamId/api-keys", "CreateApiKey", {
    body: { name: "x" },
    bad: [{ name: 7 }, "name"],
  }),
  row("GET /auth/teams/:teamId/api-keys", "ListApiKeys", { bad: ["?pageSize=many", "pageSize"] }),
  row("PUT /auth/api-keys/:apiKeyId", "UpdateApiKey", {
    body: { apiKey: { name: "y" } },
    bad: [{ apiKey: { tpm: "much" }, fieldMask: "tpm" }, "apiKey.tpm"],
  }),
  row("DELETE /auth/api-keys/:apiKeyId", "DeleteApiKey"),
  row("POST /auth/api-keys/:apiKeyId/rotate", "RotateApiKey", {
    body: {},
    bad: [{ expireTime: "soon" }, "expireTime"],
  }),
  row("GET /auth/api-keys/:apiKeyId/propagation", "CheckApiKeyPropagation"),
  row("GET /auth/management-keys/validation", null, { elsewhere: 200 }),
  row("POST /auth/teams", "CreateTeam", {
    newBody: () => ({ name: crypto.randomUUID().slice(0, 8) }),
    bad: [{}, "name"],
    ofAllTeams: true,
  }),
  row("GET /auth/teams", "ListTeams", { bad: ["?paginationToken=!", "paginationToken"], elsewhere: 200 }),
  row("PUT /auth/teams/:teamId", "UpdateTeam", {
    body: { team: { name: "z" } },
    bad: [{ team: { name: "z" }, fieldMask: "weight" }, "fieldMask"],
  }),
  row("GET /auth/teams/:teamId/models", "ListModels"),
  row("GET /auth/teams/:teamId/limits", "ListTeams"),
  row("PUT /auth/teams/:teamId/limits", "UpdateTeam", {
    body: { limits: { qpm: 600 } },
    bad: [{ limits: { tpm: "much" } }, "limits.tpm"],
    ofAllTeams: true,
  }),
  row("GET /auth/teams/:teamId/endpoints", "ListPossibleEndpointAcls"),
  row("GET /audit/teams/:teamId/events", "AuditRead", { bad: ["?eventTimeFrom=monday", "eventTimeFrom"] }),
  row("GET /auth/teams/:teamId/budgets", "BillingRead", { bad: ["?paginationToken=!", "paginationToken"] }),
  row("PUT /auth/teams/:teamId/budgets", "BillingWrite", { body: clearing, bad: [{}, "period"] }),
  row("GET /auth/access-groups", "ListAccessGroups", { elsewhere: 200 }),
  row("POST /auth/access-groups", "CreateAccessGroup", {
    newBody: () => ({ name: systemRandom.id(), acls: ["api-key:endpoint:chat"] }),
    bad: [{ name: "x" }, "acls"],
    ofAllTeams: true,
  }),
  row("GET /auth/access-groups/:groupName", "ListAccessGroups", { elsewhere: 200 }),
  row("PUT /auth/access-groups/:groupName", "UpdateAccessGroup", {
    body: { accessGroup: { description: "y" } },
    bad: [{ accessGroup: { acls: "chat" } }, "accessGroup.acls"],
    ofAllTeams: true,
  }),
  row("DELETE /auth/access-groups/:groupName", "DeleteAccessGroup", { ofAllTeams: true }),
  row("POST /auth/teams/:teamId/members", "CreateMember", {
    newBody: () => ({ email: `${crypto.randomUUID()}@example.com` }),
    bad: [{ email: "x@example.com", role: "king" }, "role"],
  }),
  row("GET /auth/teams/:teamId/members", "ListMembers", { bad: ["?pageSize=-1", "pageSize"] }),
  row("PUT /auth/members/:memberId", "UpdateMember", {
    body: { member: { givenName: "Grace" } },
    bad: [{ member: {}, fieldMask: "teamId" }, "fieldMask"],
  }),
  row("DELETE /auth/members/:memberId", "DeleteMember"),
  row("POST /auth/members/:memberId/sign-in-links", "UpdateMember"),
  row("GET /v1/billing/teams/:teamId/prepaid/balance", "BillingRead"),
  row("POST /v1/billing/teams/:teamId/prepaid/top-up", "BillingWrite", {
    body: { amount: { val: "500" } },
    bad: [{ amount: { val: "5.5" } }, "amount.val"],
    ofAllTeams: true,
  }),
  row("GET /v1/billing/teams/:teamId/postpaid/spending-limits", "BillingRead"),
  row("POST /v1/billing/teams/:teamId/postpaid/spending-limits", "BillingWrite", {
    body: { desiredSoftSpendingLimit: { val: 5000 } },
    bad: [{}, "desiredSoftSpendingLimit"],
  }),
  row("GET /v1/billing/teams/:teamId/postpaid/invoice/preview", "BillingRead"),
  row("POST /v1/billing/teams/:teamId/usage", "BillingRead", {
    body: analytics("2026-11-22 00:00:00"),
    bad: [analytics("tomorrow"), "analyticsRequest.timeRange.endTime"],
  }),
  row("POST /admin/models/pull", "ManageModels", {
    body: { model: "acme/tiny" },
    bad: [{ model: 7 }, "model"],
    ofAllTeams: true,
  }),
  row("GET /admin/models/pulls", "ListModels", { ofAllTeams: true }),
  row("GET /admin/models/pulls/:pullId", "ListModels", { ofAllTeams: true }),
  row("DELETE /admin/models/pulls/:pullId", "ManageModels", { ofAllTeams: true }),
  row("POST /admin/models/load", "ManageModels", {
    body: { model: builtInModel },
    bad: [{}, "model"],
    ofAllTeams: true,
  }),
  row("POST /admin/models/unload", "ManageModels", {
    body: { model: builtInModel },
    bad: [{}, "model"],
    ofAllTeams: true,
  }),
  row("GET /admin/models", "ListModels", { ofAllTeams: true }),
  row("GET /admin/models/*id", "ListModels", { ofAllTeams: true }),
  row("DELETE /admin/models/*id", "ManageModels", { status: 409, ofAllTeams: true }),
  row("PUT /admin/models/*id", "ManageModels", {
    body: { slots: 2 },
    bad: [{ slots: "many" }, "slots"],
    ofAllTeams: true,
  }),
  row("GET /admin/requests", "ListRequests", { bad: ["?status=done", "status"], elsewhere: 200 }),
  row("GET /admin/requests/:runId", "ListRequests"),
  // The run of these tests keeps none.
  row("DELETE /admin/requests/:runId/bodies", "DeleteRequestBodies", { status: 404 }),
  row("POST /admin/requests/:runId/cancel", "CancelRequest", { status: 409 }),
  ...(
    [
      ["deferred-completions", ":requestId", ["cancel"]],
      ["responses", ":responseId", ["content", "cancel"]],
      ["chat-completions", ":completionId", ["content"]],
      ["batches", ":batchId", ["content", "cancel"]],
      ["files", ":fileId", ["content"]],
    ] as const
  ).flatMap(([kind, param, more]) => storedRows(kind, param, more)),
  ...["usage", "ledger"].map((kind) =>
    row(`GET /admin/export/${kind}`, "BillingRead", { bad: ["?format=xml", "format"], elsewhere: 200 }),
  ),
  row("GET /admin/export/audit", "AuditRead", { bad: ["?since=monday", "since"], elsewhere: 200 }),
  row("GET /admin/alerts", "ManageAlerts", { elsewhere: 200 }),
  row("GET /admin/alerts/channels", "ManageAlerts", { elsewhere: 200 }),
  row("POST /admin/alerts/channels", "ManageAlerts", {
    newBody: () => ({ kind: "webhook", target: `https://127.0.0.1/${crypto.randomUUID()}` }),
    bad: [{ kind: "letter", target: "x" }, "kind"],
    elsewhere: 200,
  }),
  row("DELETE /admin/alerts/channels/:channelId", "ManageAlerts"),
  row("POST /admin/alerts/channels/:channelId/test", "ManageAlerts"),
  row("GET /admin/alerts/deliveries", "ManageAlerts", { elsewhere: 200 }),
  row("GET /admin/doctor", "ServerRead", { ofAllTeams: true }),
  row("GET /admin/overview", "BillingRead", { bad: ["?from=monday", "from"], elsewhere: 200 }),
  row("POST /api/pull", "ManageModels", { body: { model: "a/b" }, bad: [{ model: 7 }, "model"], ...ollama }),
  row("DELETE /api/delete", "ManageModels", {
    body: { model: builtInModel },
    bad: [{}, "model"],
    status: 409,
    ...ollama,
  }),
];
