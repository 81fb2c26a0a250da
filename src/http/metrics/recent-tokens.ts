/** The tokens that were sampled in the last minute, by second and team. */
import type { Clock } from "../../core/clock.js";

const secondsMax = 60;

export interface RecentTokens {
  add(teamId: string, tokens: number): void;
  /** Returns the tokens of each of the last 60 whole seconds, the oldest first. @param teamId null: of all teams */
  read(teamId: string | null): readonly number[];
}

/** Counts tokens; what is older than a minute is forgotten. */
export function createRecentTokens(clock: Pick<Clock, "monotonic">): RecentTokens {
  /** By second; at most `secondsMax` and the one that has not ended. */
  const bySecond = new Map<number, Map<string, number>>();
  const secondNow = (): number => Math.floor(clock.monotonic() / 1000);
  return {
    add(teamId, tokens) {
      const second = secondNow();
      let teams = bySecond.get(second);
      if (teams === undefined) {
        for (const old of bySecond.keys()) if (old < second - secondsMax) bySecond.delete(old);
        teams = new Map<string, number>();
        bySecond.set(second, teams);
      }
      teams.set(teamId, (teams.get(teamId) ?? 0) + tokens);
    },
    read(teamId) {
      const first = secondNow() - secondsMax;
      return Array.from({ length: secondsMax }, (_, at) => tokensOf(bySecond.get(first + at), teamId));
    },
  };
}

function tokensOf(teams: ReadonlyMap<string, number> | undefined, teamId: string | null): number {
  if (teams === undefined) return 0;
  if (teamId !== null) return teams.get(teamId) ?? 0;
  return [...teams.values()].reduce((sum, tokens) => sum + tokens, 0);
}
