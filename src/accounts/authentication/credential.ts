/** Builds the errors for rejected secrets, which do not repeat the secret. */
import { HearthError } from "../../core/errors.js";
import { looksMistyped } from "../credentials/secret.js";

/** Longer secrets are rejected without a look-up. */
export const secretCharactersMax = 512;

/** Returns a `bad_credential` error. @param kind what was expected, such as `API key`. */
export function badCredential(kind: string, secret: string, why: string): HearthError {
  return new HearthError("bad_credential", `Incorrect ${kind} provided: ${outline(secret)}. ${why}`);
}

/** Returns a hint on why the secret is unknown. @param command creates a valid one. */
export function hintFor(secret: string, command: string): string {
  if (looksMistyped(secret)) return "Its checksum is wrong: a character was changed or lost.";
  return `You can create one with \`${command}\`.`;
}

/** Returns the first and last two characters, which help to find where the key came from. */
function outline(secret: string): string {
  if (secret.length < 12 || !/^[\x21-\x7e]+$/.test(secret)) return "***";
  return `${secret.slice(0, 2)}***${secret.slice(-2)}`;
}
