/** GET /auth/teams/{teamId}/endpoints: the endpoint ACLs that keys of a team can have, from the route table. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { teamGrants } from "../../../accounts/principals/permissions.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import { booleanField, isTrue, parseFields } from "../../../dialects/management/fields.js";
import { managementRoute, type Route } from "../../server/route.js";

const endpointAcls = responseObject({
  acls: responseArray(
    responseObject({
      acl: z.string().describe("The value for `acls` of a key."),
      description: z.string(),
      namespace: z.literal("api-key"),
      key: z.literal("endpoint"),
      value: z.string(),
    }).meta({ id: "EndpointAcl" }),
  ),
}).meta({ id: "EndpointAcls" });

export type WireEndpoints = z.infer<typeof endpointAcls>;

const querySchema = z.object({
  all: booleanField.nullish().describe("Whether those are listed, too, that the team does not allow."),
});

/** Lists the ACLs. */
export const listTeamEndpoints = managementRoute({
  method: "GET",
  path: "/auth/teams/:teamId/endpoints",
  acl: "ListPossibleEndpointAcls",
  docs: {
    operation: "listTeamEndpoints",
    tag: "Accounts",
    summary: "List the endpoint ACLs that a team's keys can have",
    params: { teamId: "Id of a team that the management key may manage." },
    query: querySchema,
    answers: { 200: { description: "The ACLs.", schema: endpointAcls } },
  },
  async handle({ ctx, manager, params, routes }, { accounts }) {
    const { all } = parseFields(querySchema, ctx.query);
    const { team, groups } = await accounts.teams.findAccess(params["teamId"] ?? "", toActor(manager));
    const names = listEndpointAcls(routes).filter(
      (endpoint) => (all != null && isTrue(all)) || teamGrants(team, groups, { endpoint, model: null }),
    );
    const answer: WireEndpoints = { acls: names.map(present) };
    ctx.body = answer;
  },
});

function listEndpointAcls(routes: readonly Route[]): readonly string[] {
  const names = routes.flatMap(({ guard, acl }) => (guard === "api-key" && acl !== null ? [acl] : []));
  return [...new Set(names)].toSorted();
}

function present(value: string): WireEndpoints["acls"][number] {
  return {
    acl: `api-key:endpoint:${value}`,
    description: "Grants access to use a specific endpoint with an API Key.",
    namespace: "api-key",
    key: "endpoint",
    value,
  };
}
