/** GET /auth/teams/{teamId}/endpoints: the endpoint ACLs that keys of a team can be given, read from the table of routes. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import type { ManagementCall, Route } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const endpointAcls = shape({
  acls: shapes(
    shape({
      acl: z.string().describe("What a key's `acls` say."),
      description: z.string(),
      namespace: z.literal("api-key"),
      key: z.literal("endpoint"),
      value: z.string(),
    }).meta({ id: "EndpointAcl" }),
  ),
}).meta({ id: "EndpointAcls" });

/** Lists them. @param routes is asked for when they are first. */
export function listTeamEndpoints(
  { accounts }: Pick<HttpDeps, "accounts">,
  routes: () => readonly Route[],
): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    await accounts.teams.find(params["teamId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof endpointAcls> = { acls: endpointsOf(routes()).map(present) };
    ctx.body = answer;
  };
}

export const teamEndpointsDocs: RouteDocs = {
  operation: "listTeamEndpoints",
  tag: "Accounts",
  summary: "List the endpoint ACLs that a team's keys can have",
  params: { teamId: "Id of a team that the management key is for." },
  answers: { 200: { description: "The ACLs.", schema: endpointAcls } },
};

function endpointsOf(routes: readonly Route[]): readonly string[] {
  const names = routes.flatMap(({ guard, endpointAcl }) =>
    guard === "api-key" && endpointAcl !== null ? [endpointAcl] : [],
  );
  return [...new Set(names)].toSorted();
}

function present(value: string): z.infer<typeof endpointAcls>["acls"][number] {
  return {
    acl: `api-key:endpoint:${value}`,
    description: "Grants access to use a specific endpoint with an API Key.",
    namespace: "api-key",
    key: "endpoint",
    value,
  };
}
