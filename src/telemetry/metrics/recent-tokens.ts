/** The tokens that were sampled in the last minute, by second, team and owner of the key. */
import type { Scope } from "../../accounts/visibility.js";
import type { Clock } from "../../core/clock.js";

const secondsMax = 60;

/** Whose key a run has. */
interface Owner {
  readonly teamId: string;
  readonly userId: string;
}

/** The tokens of one second: by team, and there by owner. */
type Second = Map<string, Map<string, number>>;

/** Counts tokens; what is older than a minute is forgotten. */
export function createRecentTokens(clock: Clock) {
  /** By second; at most `secondsMax` and the one that has not ended. */
  const bySecond = new Map<number, Second>();
  const secondNow = (): number => Math.floor(clock.monotonic() / 1000);
  return {
    add({ teamId, userId }: Owner, tokens: number): void {
      const second = secondNow();
      let teams = bySecond.get(second);
      if (teams === undefined) {
        for (const old of bySecond.keys()) if (old < second - secondsMax) bySecond.delete(old);
        teams = new Map<string, Map<string, number>>();
        bySecond.set(second, teams);
      }
      const owners = teams.get(teamId) ?? new Map<string, number>();
      teams.set(teamId, owners.set(userId, (owners.get(userId) ?? 0) + tokens));
    },
    /** Returns the tokens of each of the last 60 whole seconds, the oldest first. */
    read(scope: Scope): readonly number[] {
      const first = secondNow() - secondsMax;
      return Array.from({ length: secondsMax }, (_, at) => sumTokens(bySecond.get(first + at), scope));
    },
  };
}

function sumTokens(teams: Second | undefined, { teamId, ownerId }: Scope): number {
  if (teams === undefined) return 0;
  const seen = teamId === null ? [...teams.values()] : [teams.get(teamId) ?? new Map<string, number>()];
  return seen
    .flatMap((owners) => (ownerId === null ? [...owners.values()] : [owners.get(ownerId) ?? 0]))
    .reduce((sum, tokens) => sum + tokens, 0);
}
