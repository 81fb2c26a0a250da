/** Authenticates requests to /v1: finds the API key and the team of a secret. permissions.ts decides what the key may do. */
import type { ApiKey, Principal } from "../principals/api-key.js";
import type { ApiKeyStore } from "../keys/store.js";
import { HearthError } from "../../core/errors.js";
import { createLookUp, type LookUpDeps } from "./look-up.js";

export type Authenticator = ReturnType<typeof createAuthenticator>;

interface AuthenticatorDeps extends LookUpDeps {
  readonly keys: ApiKeyStore;
}

export function createAuthenticator(deps: AuthenticatorDeps) {
  const { keys, clock } = deps;
  const findByHash = async (hash: Uint8Array): Promise<Principal | null> => {
    const readAt = clock.monotonic();
    const principal = await keys.findByHash(hash);
    return principal === null ? null : { ...principal, readAt };
  };
  const { authenticate, admit } = createLookUp<Principal>(
    {
      name: "API key",
      usage: "Send an API key as 'Authorization: Bearer <key>' or as 'x-api-key: <key>'.",
      otherPrefix: "hm-",
      otherHint: "This is a management key: it opens /auth and does not open /v1.",
      createCommand: "hearth keys create",
      async find(hash) {
        const principal = await findByHash(hash);
        return principal === null || isReplaced(principal.key, hash, clock.now()) ? null : principal;
      },
      refusal: findRefusal,
    },
    deps,
  );
  const findById = async (keyId: string): Promise<Principal> => {
    const key = await keys.find(keyId);
    const principal = key === null ? null : await findByHash(key.hash);
    if (principal === null)
      throw new HearthError("permission_denied", "The API key that asked for this has been deleted.");
    return principal;
  };
  return {
    /**
     * @param secret what the request presents; null when it presents nothing.
     * @param address IP address of the client.
     * @throws HearthError `unauthenticated` when nothing is presented, `bad_credential` when it is not an API key of this
     * server, `permission_denied` when the key may not be used now.
     */
    authenticate,
    /**
     * Returns the principal of the key with which the sessions of a member call /v1, and which nobody presents.
     * @param address IP address of the client.
     * @throws HearthError `permission_denied` when the key was deleted or may not be used now from this address.
     */
    admitSession: async (keyId: string, address: string): Promise<Principal> =>
      admit(await findById(keyId), address),
    /**
     * Returns the principal of a key that was authenticated earlier, for a job that was deferred. The address is not checked
     * again.
     * @throws HearthError `permission_denied` when the key was deleted or may not be used now.
     */
    async readmit(keyId: string): Promise<Principal> {
      const principal = await findById(keyId);
      const refusal = findRefusal(principal, clock.now());
      if (refusal !== null) throw new HearthError("permission_denied", refusal);
      return principal;
    },
  };
}

/** Whether the hash belongs to the secret before the last rotation, and its grace period has ended. */
function isReplaced(key: ApiKey, hash: Uint8Array, now: number): boolean {
  if (Buffer.from(key.hash).equals(hash)) return false;
  return key.previousExpireTime === null || key.previousExpireTime <= now;
}

function findRefusal({ key, team }: Principal, now: number): string | null {
  if (team.blocked) return "Your team is blocked. Please ask the operator of this server.";
  if (key.blocked) return "This API key is blocked. Please ask the operator of this server.";
  if (key.disabled) return "This API key is disabled.";
  if (key.expireTime !== null && key.expireTime <= now) return "This API key has expired.";
  return null;
}
