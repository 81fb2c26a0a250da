/**
 * Divides the slots of a model between the servers that send it runs: first between teams, weighted max-min fair (Bertsekas and Gallager,
 * Data Networks, 6.5), then between servers, where each team's part goes to where it has its runs. Whole slots are rounded another way in
 * each turn, so that over many turns each server has its part exactly. Pure: servers that know the same compute the same.
 */

/** What a team wants of a model at one server. */
export interface TeamDemand {
  readonly teamId: string;
  readonly weight: number;
  /** Its runs that hold a slot or wait for one; at least one. */
  readonly runs: number;
}

/** What a server wants of a model. */
export interface ServerDemand {
  readonly serverId: string;
  /** Runs that hold a slot. */
  readonly running: number;
  /** Counts on from time to time. The turn of all servers is the turn of the first one by id. */
  readonly turn: number;
  /** Each team once; at least one. */
  readonly teams: readonly TeamDemand[];
}

interface Division {
  /** Slots of each team over all servers, not in whole numbers: no more than it has runs. */
  readonly teams: ReadonlyMap<string, number>;
  /** Whole slots of each server. Their sum is the number of slots: those that no run needs go to all alike. */
  readonly servers: ReadonlyMap<string, number>;
}

/** @param servers each once */
export function divide(slots: number, servers: readonly ServerDemand[]): Division {
  const sorted = sortedById(servers);
  const wanted = totals(sorted);
  const teams = maxMinFair(slots, wanted);
  const quotas = sorted.map((server) =>
    server.teams.reduce((sum, { teamId, runs }) => {
      return sum + ((teams.get(teamId) ?? 0) * runs) / (wanted.get(teamId)?.runs ?? runs);
    }, 0),
  );
  const whole = rounded(quotas, sorted[0]?.turn ?? 0);
  if (slots >= servers.length) raiseToOne(whole);
  const ids = sorted.map(({ serverId }) => serverId);
  return { teams, servers: withSpare(slots, new Map(ids.map((id, at) => [id, whole[at] ?? 0]))) };
}

/** Returns how many runs a server has on a model, waiting ones included. */
export function countDemandedRuns({ teams }: ServerDemand): number {
  return teams.reduce((sum, { runs }) => sum + runs, 0);
}

/**
 * Returns how many runs a server may have in slots. It is its part, but where others still have more than theirs, no more than what is
 * free: that goes to the servers that have less than their part.
 */
export function slotsHere(slots: number, here: ServerDemand, others: readonly ServerDemand[]): number {
  const servers = sortedById([here, ...others]);
  const parts = divide(slots, servers).servers;
  const part = parts.get(here.serverId) ?? 0;
  const missing = servers.map((server) =>
    Math.max(0, Math.min(parts.get(server.serverId) ?? 0, countDemandedRuns(server)) - server.running),
  );
  const free = Math.max(0, slots - servers.reduce((sum, { running }) => sum + running, 0));
  const missingSum = missing.reduce((sum, count) => sum + count, 0);
  if (missingSum <= free) return part;
  const quotas = missing.map((count) => (free * count) / missingSum);
  return here.running + (rounded(quotas, servers[0]?.turn ?? 0)[servers.indexOf(here)] ?? 0);
}

interface Wanted {
  readonly weight: number;
  readonly runs: number;
}

/** The same order on every server, whatever its locale. */
function sortedById(servers: readonly ServerDemand[]): readonly ServerDemand[] {
  return servers.toSorted((a, b) => (a.serverId < b.serverId ? -1 : 1));
}

/** Returns what each team wants of all servers. */
function totals(servers: readonly ServerDemand[]): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { teamId, weight, runs } of servers.flatMap(({ teams }) => teams)) {
    const before = wanted.get(teamId) ?? { weight: 0, runs: 0 };
    // A weight that was just changed is not the same everywhere.
    wanted.set(teamId, { weight: Math.max(before.weight, weight), runs: before.runs + runs });
  }
  return wanted;
}

/** Fills all teams alike by weight, those first that have enough soonest. */
function maxMinFair(slots: number, wanted: ReadonlyMap<string, Wanted>): ReadonlyMap<string, number> {
  const sorted = [...wanted].toSorted(
    ([idA, a], [idB, b]) => a.runs / a.weight - b.runs / b.weight || (idA < idB ? -1 : 1),
  );
  const teams = new Map<string, number>();
  let left = slots;
  let weights = sorted.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [at, [teamId, { weight, runs }]] of sorted.entries()) {
    const isLast = at === sorted.length - 1;
    const given = Math.min(runs, isLast ? left : (left * weight) / weights);
    teams.set(teamId, given);
    left = Math.max(0, left - given);
    weights -= weight;
  }
  return teams;
}

/** The fraction of the golden ratio: its multiples are spread evenly between whole numbers. */
const step = (Math.sqrt(5) - 1) / 2;
/** Sums of fractions are a little too small or too large. */
const tolerance = 1e-9;

/**
 * Rounds each number up or down, so that the sum stays and each is, over many turns, rounded up as often as its fraction says (systematic
 * sampling, Madow 1949). @param quotas their sum is whole
 */
function rounded(quotas: readonly number[], turn: number): number[] {
  const offset = (turn * step) % 1;
  let sum = offset;
  return quotas.map((quota) => {
    const before = Math.floor(sum + tolerance);
    sum += quota;
    return Math.floor(sum + tolerance) - before;
  });
}

/** Takes from those that have the most what makes each at least one. */
function raiseToOne(whole: number[]): void {
  for (const [at, count] of whole.entries()) {
    if (count > 0) continue;
    const most = whole.indexOf(Math.max(...whole));
    whole[most] = (whole[most] ?? 0) - 1;
    whole[at] = 1;
  }
}

/** Adds the slots that are left to all alike. */
function withSpare(slots: number, parts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const spare = slots - [...parts.values()].reduce((sum, part) => sum + part, 0);
  const each = Math.floor(spare / parts.size);
  return new Map(
    [...parts].map(([id, part], at) => [id, part + each + (at < spare - each * parts.size ? 1 : 0)]),
  );
}
