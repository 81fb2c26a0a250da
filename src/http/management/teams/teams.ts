/** POST and GET /auth/teams, PUT /auth/teams/{teamId}: creates, lists, renames and blocks teams. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import type { TeamChange } from "../../../accounts/teams/teams.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import {
  booleanField,
  definedFields,
  isTrue,
  parseFields,
  stringList,
} from "../../../dialects/management/fields.js";
import { createPages } from "../../../dialects/management/pages.js";
import { presentTeam, teamSchema } from "./present-team.js";
import { accountRoute } from "../../server/route.js";

const createRequestSchema = z
  .object({ name: z.string() })
  .meta({ id: "CreateTeamRequest", description: "The team to create." });

const updateRequestSchema = z
  .object({
    team: z
      .object({
        name: z.string().nullish(),
        blocked: booleanField.nullish(),
        acls: stringList
          .nullish()
          .describe(
            "What keys of the team may do at most, as ACLs. Named in the mask and not set: everything; an empty list: nothing.",
          ),
        keepBodies: booleanField
          .nullish()
          .describe(
            "Whether the log of requests keeps what requests and answers have. Turned off, what was kept is deleted at once.",
          ),
      })
      .nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateTeamRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

const pages = createPages(z.string());

const querySchema = z.object(pages.query);

const pageSchema = responseObject({
  teams: responseArray(teamSchema).describe("In order of creation."),
  ...pages.answer,
}).meta({ id: "TeamPage" });

/** Creates a team. */
export const createTeam = accountRoute({
  method: "POST",
  path: "/auth/teams",
  acl: "CreateTeam",
  forAllTeams: true,
  docs: {
    operation: "createTeam",
    tag: "Accounts",
    summary: "Create a team",
    description: "The team is prepaid. Requires a management key for all teams.",
    body: createRequestSchema,
    example: { name: "research" },
    answers: { 200: { description: "The team.", schema: teamSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body }, { accounts }) {
    const { name } = parseFields(createRequestSchema, body);
    ctx.body = presentTeam(await accounts.teams.create({ name }, toActor(manager)));
  },
});

/** Lists a page of teams. */
export const listTeams = accountRoute({
  method: "GET",
  path: "/auth/teams",
  acl: "ListTeams",
  docs: {
    operation: "listTeams",
    tag: "Accounts",
    summary: "List the teams of the management key",
    query: querySchema,
    answers: { 200: { description: "One page of teams.", schema: pageSchema } },
  },
  async handle({ ctx, manager }, { accounts }) {
    const query = parseFields(querySchema, ctx.query);
    const { limit, after } = pages.read(query);
    const all = await accounts.teams.list(toActor(manager));
    const rest = after === null ? all : all.filter(({ createTime, id }) => isAfter([createTime, id], after));
    const { items, ...next } = pages.cut(rest, limit, ({ createTime, id }) => [createTime, id]);
    const answer: z.infer<typeof pageSchema> = { teams: items.map(presentTeam), ...next };
    ctx.body = answer;
  },
});

/** Updates a team. */
export const updateTeam = accountRoute({
  method: "PUT",
  path: "/auth/teams/:teamId",
  acl: "UpdateTeam",
  docs: {
    operation: "updateTeam",
    tag: "Accounts",
    summary: "Rename, block or unblock a team, or limit what its keys may do",
    description:
      "A management key for one team can rename the team, but not block or unblock it, nor change what its keys may do at most.",
    params: { teamId: "Id of a team that the management key may manage." },
    body: updateRequestSchema,
    example: { team: { blocked: true }, fieldMask: "blocked" },
    answers: { 200: { description: "The team.", schema: teamSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { team, fieldMask } = parseFields(updateRequestSchema, body);
    const blocked = team?.blocked == null ? null : isTrue(team.blocked);
    const keepsBodies = team?.keepBodies == null ? null : isTrue(team.keepBodies);
    const given: TeamChange = definedFields({ name: team?.name, blocked, acls: team?.acls, keepsBodies });
    const cleared = { name: "", blocked: false, acls: null, keepsBodies: false };
    const change: TeamChange = applyFieldMask<Required<TeamChange>>(given, cleared, fieldMask, {
      aclStrings: "acls",
      keepBodies: "keepsBodies",
    });
    ctx.body = presentTeam(await accounts.teams.update(params["teamId"] ?? "", change, toActor(manager)));
  },
});

function isAfter(one: readonly [number, string], other: readonly [number, string]): boolean {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];
}
