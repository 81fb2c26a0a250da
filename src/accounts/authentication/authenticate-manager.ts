/**
 * Who manages: from the secret that a request to the management plane presents to the management key behind it. Unknown and
 * refused keys cost the same work, one hash and one look-up, as at the doors of /v1. API keys are not looked for at all, so
 * none ever opens this plane.
 */
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKeyStore, Manager } from "../management-keys/management-key.js";
import { hint, incorrect, secretCharactersMax } from "./credential.js";
import { createIpMatcher } from "./ip-ranges.js";
import type { KeyUse } from "./key-use.js";
import { hashSecret } from "./secret.js";

export interface ManagerAuthenticator {
  /**
   * @param secret what the request presented; null when it presented nothing.
   * @param address of the client.
   * @throws HearthError `unauthenticated` when nothing was presented, `bad_credential` when it is not a management key of this
   * server, `permission_denied` when the key may not be used now.
   */
  authenticate(secret: string | null, address: string): Promise<Manager>;
}

export interface ManagerAuthenticatorDeps {
  readonly managementKeys: Pick<ManagementKeyStore, "findByHash">;
  readonly keyUse: Pick<KeyUse, "note">;
  readonly clock: Clock;
}

/** Builds the authenticator over its ports. */
export function createManagerAuthenticator(deps: ManagerAuthenticatorDeps): ManagerAuthenticator {
  const { managementKeys, keyUse, clock } = deps;
  const isWithin = createIpMatcher();
  return {
    async authenticate(secret, address) {
      if (secret === null)
        throw new HearthError(
          "unauthenticated",
          "No credentials presented. Send a management key as 'Authorization: Bearer <key>'.",
        );
      if (secret.length > secretCharactersMax)
        throw incorrect("management key", secret, "It is too long to be one.");
      if (secret.startsWith("hk-"))
        throw incorrect(
          "management key",
          secret,
          "This is an API key: it opens /v1 and does not open the management plane.",
        );
      const manager = await managementKeys.findByHash(hashSecret(secret));
      if (manager === null)
        throw incorrect("management key", secret, hint(secret, "hearth management-keys create"));
      const { id, ipRanges } = manager.key;
      if (ipRanges !== null && !isWithin(ipRanges, address))
        throw new HearthError("permission_denied", "This management key may not be used from this address.");
      const refusal = refusalOf(manager, clock.now());
      if (refusal !== null) throw new HearthError("permission_denied", refusal);
      keyUse.note(id);
      return manager;
    },
  };
}

function refusalOf({ key, team }: Manager, now: number): string | null {
  if (team?.blocked === true) return "Your team is blocked. Please ask the operator of this server.";
  if (key.expireTime !== null && key.expireTime <= now) return "This management key has expired.";
  return null;
}
