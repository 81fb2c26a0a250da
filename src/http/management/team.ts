/** A team as the management plane tells it. */
import { z } from "zod";
import type { Team } from "../../accounts/teams/team.js";
import { shape } from "../../dialects/shape.js";
import { time, timestamp } from "./timestamp.js";

export const teamSchema = shape({
  teamId: z.string(),
  name: z.string(),
  createTime: time,
  blocked: z.boolean().describe("None of its keys opens anything."),
  billing: z.enum(["prepaid", "unmetered"]).describe("Whether it needs credits."),
}).meta({ id: "Team" });

/** Presents a team. */
export function presentTeam(team: Team): z.infer<typeof teamSchema> {
  const { id, name, blocked, billing } = team;
  return { teamId: id, name, createTime: timestamp(team.createTime), blocked, billing };
}
