/**
 * What the teams of one model were served, so that each gets its share. This is start-time fair queuing (Goyal, Vin and Cheng, 1996):
 * a level rises with the service, and a team that begins to wait starts there. So nobody is compensated for the time in which they
 * requested less than their share, and nobody pays for what they used while others requested nothing. Pure.
 */
export interface Shares {
  /** Tokens each active team was served, divided by its weight; those that its running runs are expected to take are included. */
  readonly served: ReadonlyMap<string, number>;
  /** The most that a team had been served when one of its runs started, without its runs that had not ended. */
  readonly level: number;
}

export interface SharingRun {
  readonly teamId: string;
  /** The team's share: the tokens it is served are divided by it. */
  readonly teamWeight: number;
  /** The part of the team's runs that are at this server, by which its weight counts here; absent: all. */
  readonly partHere?: number;
  /** Tokens the run is expected to take; counted when it starts and corrected when it ends. */
  readonly tokensExpected: number;
}

export const noShares: Shares = { served: new Map(), level: 0 };

/** A team begins to wait. */
export function join({ served, level }: Shares, teamId: string): Shares {
  return { served: new Map(served).set(teamId, Math.max(level, served.get(teamId) ?? 0)), level };
}

/** A run starts. @param running the runs that have not ended, of any team of the model */
export function start(shares: Shares, run: SharingRun, running: readonly SharingRun[]): Shares {
  const own = running.filter(({ teamId }) => teamId === run.teamId);
  const expected = own.reduce((sum, each) => sum + each.tokensExpected / readWeight(each), 0);
  const ended = (shares.served.get(run.teamId) ?? 0) - expected;
  return charge({ ...shares, level: Math.max(shares.level, ended) }, run, run.tokensExpected);
}

/** Adds tokens to what the team of a run was served; a negative number takes back what it was expected to take. */
export function charge(shares: Shares, run: SharingRun, tokens: number): Shares {
  const served = (shares.served.get(run.teamId) ?? 0) + tokens / readWeight(run);
  return { ...shares, served: new Map(shares.served).set(run.teamId, served) };
}

/** Keeps what active teams were served; the others start at the level when they return. */
export function keepActive(shares: Shares, active: readonly SharingRun[]): Shares {
  const teams = new Set(active.map((run) => run.teamId));
  return { ...shares, served: new Map([...shares.served].filter(([teamId]) => teams.has(teamId))) };
}

function readWeight({ teamWeight, partHere = 1 }: SharingRun): number {
  return teamWeight * partHere;
}
