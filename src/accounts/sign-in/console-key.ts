/**
 * The API key with which the sessions of a member call /v1, so that limits, permissions and the ledger hold for the playground as for
 * every other client. Nobody has its secret, and it cannot be rotated: it opens nothing
 * without a session.
 */
import { auditEntry, retryOnConflict } from "../audit/audited-change.js";
import { issueSecret } from "../credentials/secret.js";
import { auditedKey } from "../keys/setting-rules.js";
import { newKey } from "../keys/new-key.js";
import type { ApiKeyStore } from "../keys/store.js";
import { ensureFirstTeam, type FirstTeamDeps } from "../teams/first-team.js";
import { actorIn } from "./new-session.js";
import type { SignedIn } from "../sessions/session.js";
import type { SignInStore } from "../sessions/store/sessions.js";

export interface ConsoleKeyDeps extends FirstTeamDeps {
  readonly keys: ApiKeyStore;
  readonly signIns: SignInStore;
}

/** A name of a key has at most 100 characters. */
const nameCharactersMax = 100;

/** Returns the id of the key; creates one when there is none, or when it was deleted. A member of the whole server uses the first team. */
export function ensureConsoleKey(deps: ConsoleKeyDeps, signedIn: SignedIn): Promise<string> {
  return retryOnConflict(async () => {
    const { apiKeyId } = await deps.signIns.findSignIn(signedIn.member.id);
    const isThere = apiKeyId !== null && (await deps.keys.find(apiKeyId)) !== null;
    return isThere ? apiKeyId : create(deps, signedIn, apiKeyId);
  });
}

async function create(
  deps: ConsoleKeyDeps,
  { session, member }: SignedIn,
  before: string | null,
): Promise<string> {
  const { keys, signIns, writes, clock, random } = deps;
  const teamId = member.teamId ?? (await ensureFirstTeam(deps)).id;
  const name = [...`console of ${member.email}`].slice(0, nameCharactersMax).join("");
  const key = newKey({ secret: issueSecret("hk-", random), teamId, name }, member.id, clock, random);
  const entry = auditEntry(deps, actorIn(session, member), {
    action: "CreateApiKey",
    objectId: key.id,
    teamId,
    description: `Created the API key '${name}'`,
    before: null,
    after: auditedKey(key),
  });
  await writes.commit([signIns.apiKeyWrite(member.id, key.id, before), keys.insertion(key), entry]);
  return key.id;
}
