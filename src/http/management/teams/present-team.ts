/** Teams in answers of the management API. */
import { z } from "zod";
import type { Team } from "../../../accounts/principals/team.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";

export const teamSchema = responseObject({
  teamId: z.string(),
  name: z.string(),
  createTime: timeSchema,
  blocked: z.boolean().describe("Whether all keys of the team are rejected."),
  billing: z.enum(["prepaid", "unmetered"]).describe("Whether the team requires credit."),
  aclStrings: responseArray(z.string())
    .optional()
    .describe("What keys of the team may do at most, as ACLs; absent: everything."),
  keepBodies: z.boolean().describe("Whether the log of requests keeps what requests and answers have."),
}).meta({ id: "Team" });

export type WireTeam = z.infer<typeof teamSchema>;

/** Presents a team. */
export function presentTeam(team: Team): WireTeam {
  const { id, name, blocked, billing, acls, keepsBodies } = team;
  return {
    teamId: id,
    name,
    createTime: timestamp(team.createTime),
    blocked,
    billing,
    keepBodies: keepsBodies,
    aclStrings: acls?.slice(),
  };
}
