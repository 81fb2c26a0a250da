/** Teams. */
import type { z } from "zod";
import type { teamSchema } from "../../http/management/teams/present-team.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type Team = z.infer<typeof teamSchema>;

/** Most teams of which the console offers a choice. */
const teamsMax = 1000;

export async function listTeams(token?: string, signal?: AbortSignal): Promise<Page<Team>> {
  const answer = await get<{ teams: readonly Team[]; paginationToken?: string }>(
    "/auth/teams",
    { pageSize: teamsMax, paginationToken: token },
    signal,
  );
  return { items: answer.teams, next: answer.paginationToken };
}

export function createTeam(name: string): Promise<Team> {
  return request("POST", "/auth/teams", { body: { name } });
}

/** @param team what is changed; `acls` that are null: everything */
export function updateTeam(
  teamId: string,
  team: { name?: string; blocked?: boolean; acls?: readonly string[] | null; keepBodies?: boolean },
): Promise<Team> {
  return request("PUT", `/auth/teams/${teamId}`, { body: { team, fieldMask: Object.keys(team).join() } });
}
