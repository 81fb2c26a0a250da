/**
 * Authenticates requests to the management plane: finds the management key of a secret. It never looks up API keys, so none
 * of them opens this plane.
 */
import type { Manager } from "../principals/management-key.js";
import type { ManagementKeyStore } from "../management-keys/store.js";
import { createLookUp, type LookUpDeps } from "./look-up.js";

export type ManagerAuthenticator = ReturnType<typeof createManagerAuthenticator>;

interface ManagerAuthenticatorDeps extends LookUpDeps {
  readonly managementKeys: ManagementKeyStore;
}

export function createManagerAuthenticator(deps: ManagerAuthenticatorDeps) {
  const { managementKeys } = deps;
  const { authenticate } = createLookUp<Manager>(
    {
      name: "management key",
      usage: "Send a management key as 'Authorization: Bearer <key>'.",
      otherPrefix: "hk-",
      otherHint: "This is an API key: it opens /v1 and does not open the management plane.",
      createCommand: "hearth management-keys create",
      find: (hash) => managementKeys.findByHash(hash),
      refusal: findRefusal,
    },
    deps,
  );
  return {
    /**
     * @param secret what the request presents; null when it presents nothing.
     * @param address IP address of the client.
     * @throws HearthError `unauthenticated` when nothing is presented, `bad_credential` when it is not a management key of
     * this server, `permission_denied` when the key may not be used now.
     */
    authenticate,
  };
}

function findRefusal({ key, team }: Manager, now: number): string | null {
  if (team?.blocked === true) return "Your team is blocked. Please ask the operator of this server.";
  if (key.expireTime !== null && key.expireTime <= now) return "This management key has expired.";
  return null;
}
