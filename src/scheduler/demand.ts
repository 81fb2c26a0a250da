/** What the runs of this server want of slots that several servers share, and how little of it a message names. Pure. */
import type { ServerDemand, TeamDemand } from "./divide.js";

/** Teams that a message names; the others are one team in it, of their weights together. */
export const teamsNamedMax = 50;

interface Run {
  readonly teamId: string;
  readonly teamWeight: number;
  readonly sharedAs?: string;
}

interface Runs {
  readonly serverId: string;
  readonly running: ReadonlyMap<string, Run>;
  readonly waiting: readonly Run[];
}

/** Returns what this server wants of shared slots; other servers get the same, so that all compute the same. */
export function summariseDemand(
  { serverId, running, waiting }: Runs,
  sharedAs: string,
): Omit<ServerDemand, "turn"> {
  const isShared = (run: Run): boolean => run.sharedAs === sharedAs;
  const held = [...running.values()].filter(isShared);
  const teams = new Map<string, TeamDemand>();
  for (const { teamId, teamWeight } of [...held, ...waiting.filter(isShared)]) {
    const { weight = 0, runs = 0 } = teams.get(teamId) ?? {};
    teams.set(teamId, { teamId, weight: Math.max(weight, teamWeight), runs: runs + 1 });
  }
  return { serverId, running: held.length, teams: named([...teams.values()], serverId) };
}

/** Names the teams with the most runs. */
function named(teams: readonly TeamDemand[], serverId: string): readonly TeamDemand[] {
  if (teams.length <= teamsNamedMax) return teams;
  const sorted = teams.toSorted((a, b) => b.runs - a.runs || (a.teamId < b.teamId ? -1 : 1));
  const others = sorted.slice(teamsNamedMax);
  const sum = (of: (team: TeamDemand) => number): number => others.reduce((all, team) => all + of(team), 0);
  const teamId = `others at ${serverId}`;
  return [
    ...sorted.slice(0, teamsNamedMax),
    { teamId, weight: sum(({ weight }) => weight), runs: sum(({ runs }) => runs) },
  ];
}
