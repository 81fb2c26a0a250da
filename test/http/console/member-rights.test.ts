import { describe, expect, it } from "vitest";
import type { MemberRole } from "../../../src/accounts/principals/member.js";
import {
  createCheapEngines,
  createObject,
  createTestTeam,
  keyRoutes,
  pathWith,
  requestRoute,
  routeName,
  takesBody,
} from "../threats/world.js";
import { fileServer } from "../../kit/server.js";
import { signInMember } from "./pages.js";

const shared = fileServer({ ...createCheapEngines(), accounts: "managed" });

/** The routes of the management API that a page can call, too. */
const managing = keyRoutes.filter(
  ({ guard, path }) => guard === "management-key" && /^\/(auth|v1|admin|audit)\//.test(path),
);

/** What every member of a team may use, for the keys that they created and what their team lets them see. A new route is added here, or to the routes of owners. */
const ofMembers: readonly string[] = [
  "DELETE /admin/batches/:batchId",
  "DELETE /admin/chat-completions/:completionId",
  "DELETE /admin/deferred-completions/:requestId",
  "DELETE /admin/files/:fileId",
  "DELETE /admin/requests/:runId/bodies",
  "DELETE /admin/responses/:responseId",
  "DELETE /auth/api-keys/:apiKeyId",
  "GET /admin/batches/:batchId",
  "GET /admin/batches/:batchId/content",
  "GET /admin/chat-completions/:completionId",
  "GET /admin/chat-completions/:completionId/content",
  "GET /admin/deferred-completions/:requestId",
  "GET /admin/export/audit",
  "GET /admin/export/ledger",
  "GET /admin/export/usage",
  "GET /admin/files/:fileId",
  "GET /admin/files/:fileId/content",
  "GET /admin/overview",
  "GET /admin/requests",
  "GET /admin/requests/:runId",
  "GET /admin/responses/:responseId",
  "GET /admin/responses/:responseId/content",
  "GET /admin/teams/:teamId/batches",
  "GET /admin/teams/:teamId/chat-completions",
  "GET /admin/teams/:teamId/deferred-completions",
  "GET /admin/teams/:teamId/files",
  "GET /admin/teams/:teamId/responses",
  "GET /audit/teams/:teamId/events",
  "GET /auth/access-groups",
  "GET /auth/access-groups/:groupName",
  "GET /auth/api-keys/:apiKeyId/propagation",
  "GET /auth/management-keys/validation",
  "GET /auth/teams",
  "GET /auth/teams/:teamId/api-keys",
  "GET /auth/teams/:teamId/budgets",
  "GET /auth/teams/:teamId/endpoints",
  "GET /auth/teams/:teamId/limits",
  "GET /auth/teams/:teamId/members",
  "GET /auth/teams/:teamId/models",
  "GET /v1/billing/teams/:teamId/postpaid/invoice/preview",
  "GET /v1/billing/teams/:teamId/postpaid/spending-limits",
  "GET /v1/billing/teams/:teamId/prepaid/balance",
  "POST /admin/batches/:batchId/cancel",
  "POST /admin/deferred-completions/:requestId/cancel",
  "POST /admin/requests/:runId/cancel",
  "POST /admin/responses/:responseId/cancel",
  "POST /auth/api-keys/:apiKeyId/rotate",
  "POST /auth/teams/:teamId/api-keys",
  "POST /v1/billing/teams/:teamId/usage",
  "PUT /auth/api-keys/:apiKeyId",
];

/** What the owners of a team may use besides. The other routes are the operator's. */
const ofOwners: readonly string[] = [
  "DELETE /admin/alerts/channels/:channelId",
  "DELETE /auth/members/:memberId",
  "GET /admin/alerts",
  "GET /admin/alerts/channels",
  "GET /admin/alerts/deliveries",
  "POST /admin/alerts/channels",
  "POST /admin/alerts/channels/:channelId/test",
  "POST /auth/members/:memberId/sign-in-links",
  "POST /auth/teams/:teamId/members",
  "POST /v1/billing/teams/:teamId/postpaid/spending-limits",
  "PUT /auth/members/:memberId",
];

/**
 * Requests every route about a new object of the team, with a management key of a member and by the member's session.
 * @returns the names of the routes that do not answer 403
 */
async function allowed(role: MemberRole) {
  const server = shared();
  const side = await createTestTeam(server, role);
  const memberId = await server.createMember(side.teamId, { role });
  const secret = await server.createManagementKey({ teamId: side.teamId, memberId });
  const page = await signInMember(server, side.teamId, role);
  const ways: { readonly byKey: string[]; readonly byPage: string[] } = { byKey: [], byPage: [] };
  for (const route of managing) {
    const newPath = () => pathWith(route, (param) => createObject(server, side, param));
    const byKey = await requestRoute(server, route, await newPath(), secret);
    if (byKey.status !== 403) ways.byKey.push(routeName(route));
    const body = takesBody(route) ? (route.docs.example ?? {}) : undefined;
    const byPage = await fetch(`${server.url}/console/api${await newPath()}`, {
      method: route.method,
      headers: { "x-hearth-console": "1", cookie: page.cookie, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await byPage.text();
    if (byPage.status !== 403) ways.byPage.push(routeName(route));
  }
  return ways;
}

describe("E14: what a member of a team may do, by API and by page", () => {
  it.each([
    ["member", ofMembers],
    ["admin", ofMembers],
    ["owner", [...ofMembers, ...ofOwners]],
  ] as const)("as %s is no more than the table says", async (role, names) => {
    const { byKey, byPage } = await allowed(role);
    expect(byKey.toSorted()).toEqual(names.toSorted());
    expect(byPage.toSorted()).toEqual(names.toSorted());
  });
});
