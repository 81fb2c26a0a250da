/**
 * Who is asking: from the secret that a request presents to the key and team behind it. What that key may do is in
 * permissions.ts. Unknown and refused keys cost the same work, one hash and one look-up, so that time tells nothing. Whoever
 * has a key but not its place learns nothing else of it.
 */
import type { ApiKey, ApiKeyStore, Principal } from "../keys/api-key.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { hint, incorrect, secretCharactersMax } from "./credential.js";
import { createIpMatcher } from "./ip-ranges.js";
import type { KeyUse } from "./key-use.js";
import { hashSecret } from "./secret.js";

export interface Authenticator {
  /**
   * @param secret what the request presented; null when it presented nothing.
   * @param address of the client.
   * @throws HearthError `unauthenticated` when nothing was presented, `bad_credential` when it is not an API key of this
   * server, `permission_denied` when the key may not be used now.
   */
  authenticate(secret: string | null, address: string): Promise<Principal>;
  /**
   * The principal of a key that asked earlier, for work that was put off; from where, was looked at then.
   * @throws HearthError `permission_denied` when the key is gone or may not be used now.
   */
  readmit(keyId: string): Promise<Principal>;
}

export interface AuthenticatorDeps {
  readonly keys: Pick<ApiKeyStore, "find" | "findByHash">;
  readonly keyUse: Pick<KeyUse, "note">;
  readonly clock: Clock;
}

/** Builds the authenticator over its ports. */
export function createAuthenticator({ keys, keyUse, clock }: AuthenticatorDeps): Authenticator {
  const isWithin = createIpMatcher();
  return {
    async authenticate(secret, address) {
      if (secret === null)
        throw new HearthError(
          "unauthenticated",
          "No credentials presented. Send an API key as 'Authorization: Bearer <key>' or as 'x-api-key: <key>'.",
        );
      if (secret.length > secretCharactersMax)
        throw incorrect("API key", secret, "It is too long to be one.");
      if (secret.startsWith("hm-"))
        throw incorrect("API key", secret, "This is a management key: it opens /auth and does not open /v1.");
      const hash = hashSecret(secret);
      const principal = await keys.findByHash(hash);
      if (principal === null || isOver(principal.key, hash, clock.now()))
        throw incorrect("API key", secret, hint(secret, "hearth keys create"));
      const { id, ipRanges } = principal.key;
      if (ipRanges !== null && !isWithin(ipRanges, address))
        throw new HearthError("permission_denied", "This API key may not be used from this address.");
      usable(principal, clock);
      keyUse.note(id);
      return principal;
    },
    async readmit(keyId) {
      const key = await keys.find(keyId);
      const principal = key === null ? null : await keys.findByHash(key.hash);
      if (principal === null)
        throw new HearthError("permission_denied", "The API key that asked for this has been deleted.");
      return usable(principal, clock);
    },
  };
}

function usable(principal: Principal, clock: Clock): Principal {
  const refusal = refusalOf(principal, clock.now());
  if (refusal !== null) throw new HearthError("permission_denied", refusal);
  return principal;
}

/** Whether the secret of that hash is the one before the last rotation, and its grace has ended: then nobody knows it. */
function isOver(key: ApiKey, hash: Uint8Array, now: number): boolean {
  if (sameBytes(hash, key.hash)) return false;
  return key.previousExpireTime === null || key.previousExpireTime <= now;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Whether the key's time is over, at `now` in milliseconds since the epoch. */
function hasExpired(key: ApiKey, now: number): boolean {
  return key.expireTime !== null && key.expireTime <= now;
}

function refusalOf({ key, team }: Principal, now: number): string | null {
  if (team.blocked) return "Your team is blocked. Please ask the operator of this server.";
  if (key.blocked) return "This API key is blocked. Please ask the operator of this server.";
  if (key.disabled) return "This API key is disabled.";
  if (hasExpired(key, now)) return "This API key has expired.";
  return null;
}
