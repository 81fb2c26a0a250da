/** POST and GET /auth/teams, PUT /auth/teams/{teamId}: makes, lists, renames and blocks teams. */
import { z } from "zod";
import { actorOf } from "../../accounts/audit/actors.js";
import { authoriseManager } from "../../accounts/management-keys/permissions.js";
import type { TeamChange } from "../../accounts/teams/teams.js";
import { shape, shapes } from "../../dialects/shape.js";
import type { HttpDeps } from "../deps.js";
import { masked } from "../management/field-mask.js";
import { flag, isTrue, read, set } from "../management/fields.js";
import { pageItems, pageSizeField, pageToken, pageTokenField, placeOf } from "../management/pages.js";
import { presentTeam, teamSchema } from "../management/team.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const wishSchema = z.object({ name: z.string() }).meta({ id: "TeamWish", description: "A team to be made." });

const changeSchema = z
  .object({
    team: z.object({ name: z.string().nullish(), blocked: flag.nullish() }).nullish(),
    fieldMask: z.string().nullish().describe("As for keys."),
  })
  .meta({
    id: "TeamChange",
    description: "What of a team is to change; without a mask, the fields that are set.",
  });

const querySchema = z.object({ pageSize: pageSizeField, paginationToken: pageTokenField });

const pageSchema = shape({
  teams: shapes(teamSchema).describe("In order of creation."),
  paginationToken: z.string().optional().describe("Of the next page; not there on the last."),
}).meta({ id: "TeamPage" });

/** Makes a team. */
export function createTeam({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, route }) => {
    const { name } = read(wishSchema, body);
    authoriseManager(manager, route.endpointAcl);
    ctx.body = presentTeam(await accounts.teams.create({ name }, actorOf(manager)));
  };
}

/** Lists a page of teams. */
export function listTeams({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, route }) => {
    const query = read(querySchema, ctx.query);
    const place = placeOf(query.paginationToken, z.string(), "paginationToken");
    authoriseManager(manager, route.endpointAcl);
    const limit = pageItems(query.pageSize);
    const all = await accounts.teams.list(actorOf(manager));
    const rest = place === null ? all : all.filter(({ createTime, id }) => isAfter([createTime, id], place));
    const teams = rest.slice(0, limit);
    const last = rest.length > limit ? teams.at(-1) : undefined;
    const answer: z.infer<typeof pageSchema> = {
      teams: teams.map(presentTeam),
      ...(last === undefined ? {} : { paginationToken: pageToken([last.createTime, last.id]) }),
    };
    ctx.body = answer;
  };
}

/** Changes a team. */
export function updateTeam({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const { team, fieldMask } = read(changeSchema, body);
    const blocked = team?.blocked == null ? null : isTrue(team.blocked);
    const given: TeamChange = set({ name: team?.name, blocked });
    const change: TeamChange = masked(given, { name: "", blocked: false }, fieldMask);
    authoriseManager(manager, route.endpointAcl);
    ctx.body = presentTeam(await accounts.teams.update(params["teamId"] ?? "", change, actorOf(manager)));
  };
}

export const createTeamDocs: RouteDocs = {
  operation: "createTeam",
  tag: "Accounts",
  summary: "Make a team",
  description: "It is prepaid. A management key that is for one team makes none.",
  body: wishSchema,
  example: { name: "research" },
  answers: { 200: { description: "The team.", schema: teamSchema } },
  errors: ["conflict"],
};

export const teamListDocs: RouteDocs = {
  operation: "listTeams",
  tag: "Accounts",
  summary: "List the teams that the management key is for",
  query: querySchema,
  answers: { 200: { description: "One page of teams.", schema: pageSchema } },
};

export const updateTeamDocs: RouteDocs = {
  operation: "updateTeam",
  tag: "Accounts",
  summary: "Rename, block or unblock a team",
  description: "A management key that is for one team renames it; it does not block or unblock it.",
  params: { teamId: "Id of a team that the management key is for." },
  body: changeSchema,
  example: { team: { blocked: true }, fieldMask: "blocked" },
  answers: { 200: { description: "The team.", schema: teamSchema } },
  errors: ["conflict"],
};

function isAfter(one: readonly [number, string], other: readonly [number, string]): boolean {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];
}
