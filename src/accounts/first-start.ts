import type { ApiKeyStore } from "../core/api-key.js";
import type { Clock } from "../core/clock.js";
import type { Random } from "../core/random.js";
import type { Team, TeamStore } from "../core/team.js";
import { newKey } from "./new-key.js";
import { allAcls } from "./permissions.js";
import { hashSecret, issueSecret } from "./secret.js";

export interface FirstTeamDeps {
  readonly teams: TeamStore;
  readonly clock: Clock;
  readonly random: Random;
}

export interface FirstStartDeps extends FirstTeamDeps {
  readonly keys: ApiKeyStore;
  /** A secret of the operator's own choosing, as config.ts lets it through; null to have one issued. */
  readonly pinnedKey: string | null;
  /** Puts an issued secret where the operator finds it; called before the key exists. */
  readonly writeFirstKey: (secret: string) => Promise<void>;
}

export interface FirstStart {
  /** The secret that opens the server from now on; null when nothing was made. */
  readonly secret: string | null;
  readonly team: Team;
}

/**
 * Sees to it that there is a team and a key to begin with: the pinned one, or an issued one when the server has no key at
 * all. Changes nothing when there is. A crash at any point is made good by the next start: the secret is written before
 * its key is stored, so there is never a key that nobody knows.
 */
export async function ensureFirstKey(deps: FirstStartDeps): Promise<FirstStart> {
  const { keys, clock, random, pinnedKey } = deps;
  const team = await ensureFirstTeam(deps);
  const known = pinnedKey === null ? (await keys.list(null)).length > 0 : await isStored(keys, pinnedKey);
  if (known) return { secret: null, team };
  const secret = pinnedKey ?? issueSecret("hk-", random);
  if (pinnedKey === null) await deps.writeFirstKey(secret);
  const name = pinnedKey === null ? "first key" : "pinned by HEARTH_API_KEY";
  await keys.insert(
    newKey({ secret, teamId: team.id, name, acls: allAcls, expireTime: null }, clock, random),
  );
  return { secret, team };
}

/** The oldest team, made where there is none: unmetered, so that a laptop just works. */
export async function ensureFirstTeam({ teams, clock, random }: FirstTeamDeps): Promise<Team> {
  const oldest = (await teams.list())[0];
  if (oldest !== undefined) return oldest;
  const team: Team = {
    id: random.id(),
    name: "default",
    billing: "unmetered",
    blocked: false,
    weight: 1,
    createTime: clock.now(),
  };
  await teams.insert(team);
  return team;
}

async function isStored(keys: ApiKeyStore, secret: string): Promise<boolean> {
  return (await keys.findByHash(hashSecret(secret))) !== null;
}
