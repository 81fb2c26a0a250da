/**
 * Finds the key of a presented secret. Unknown and rejected keys cost the same work, one hash and one query, so that the
 * response time does not reveal whether a key exists. A client at an address that the key does not allow learns nothing else
 * about the key.
 */
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { createIpMatcher } from "../credentials/ip-ranges.js";
import type { KeyUse } from "./key-use.js";
import { hashSecret, type SecretPrefix, looksMistyped } from "../credentials/secret.js";

/** What differs between API keys and management keys. */
interface KeyKind<Found> {
  /** Such as `API key`. */
  readonly name: string;
  /** How to send a key, for requests without one. */
  readonly usage: string;
  /** The prefix of the other kind's secrets, and the hint for a client that sends one. */
  readonly otherPrefix: SecretPrefix;
  readonly otherHint: string;
  /** The command that creates a key. */
  readonly createCommand: string;
  /** Returns the key with this hash; null when there is none, or when its secret no longer works. */
  readonly find: (hash: Uint8Array) => Promise<Found | null>;
  /** Returns why the key may not be used at `now`, in milliseconds since the epoch; null when it may. */
  readonly refusal: (found: Found, now: number) => string | null;
}

export interface LookUpDeps {
  readonly keyUse: KeyUse;
  readonly clock: Clock;
}

interface FoundKey {
  readonly key: { readonly id: string; readonly ipRanges: readonly string[] | null };
}

function createAdmission<Found extends FoundKey>(
  { name, refusal }: KeyKind<Found>,
  { keyUse, clock }: LookUpDeps,
): (found: Found, address: string) => Found {
  const isWithin = createIpMatcher();
  return (found, address) => {
    const { id, ipRanges } = found.key;
    if (ipRanges !== null && !isWithin(ipRanges, address))
      throw new HearthError("permission_denied", `This ${name} may not be used from this address.`);
    const reason = refusal(found, clock.now());
    if (reason !== null) throw new HearthError("permission_denied", reason);
    keyUse.note(id);
    return found;
  };
}

/** Creates the functions that admit keys of a kind. */
export function createLookUp<Found extends FoundKey>(kind: KeyKind<Found>, deps: LookUpDeps) {
  const admit = createAdmission(kind, deps);
  const authenticate = async (secret: string | null, address: string): Promise<Found> => {
    if (secret === null) throw new HearthError("unauthenticated", `No credentials presented. ${kind.usage}`);
    if (secret.length > secretCharactersMax)
      throw badCredential(kind.name, secret, "It is too long to be one.");
    if (secret.startsWith(kind.otherPrefix)) throw badCredential(kind.name, secret, kind.otherHint);
    const found = await kind.find(hashSecret(secret));
    if (found === null) throw badCredential(kind.name, secret, hintFor(secret, kind.createCommand));
    return admit(found, address);
  };
  return {
    /** Finds the key of a presented secret and checks that it may be used now from an address. */
    authenticate,
    /** Checks that a key which was found may be used now from an address, and notes the use. */
    admit,
  };
}

/** Longer secrets are rejected without a look-up. */
const secretCharactersMax = 512;

/** Returns a `bad_credential` error. @param kind what was expected, such as `API key`. */
function badCredential(kind: string, secret: string, why: string): HearthError {
  return new HearthError("bad_credential", `Incorrect ${kind} provided: ${outline(secret)}. ${why}`);
}

/** Returns a hint on why the secret is unknown. @param command creates a valid one. */
function hintFor(secret: string, command: string): string {
  if (looksMistyped(secret)) return "Its checksum is wrong: a character was changed or lost.";
  return `You can create one with \`${command}\`.`;
}

/** Returns the first and last two characters, which help to find where the key came from. */
function outline(secret: string): string {
  if (secret.length < 12 || !/^[\x21-\x7e]+$/.test(secret)) return "***";
  return `${secret.slice(0, 2)}***${secret.slice(-2)}`;
}
