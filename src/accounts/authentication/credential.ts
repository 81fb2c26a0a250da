/** What a presented secret is told about, in a refusal, without repeating it. */
import { HearthError } from "../../core/errors.js";
import { looksMistyped } from "./secret.js";

/** Longer secrets are refused unread. */
export const secretCharactersMax = 512;

/** A `bad_credential`. @param kind what it should have been, such as `API key`. */
export function incorrect(kind: string, secret: string, why: string): HearthError {
  return new HearthError("bad_credential", `Incorrect ${kind} provided: ${outline(secret)}. ${why}`);
}

/** Why nobody knows the secret. @param command how a known one is made. */
export function hint(secret: string, command: string): string {
  if (looksMistyped(secret)) return "Its checksum is wrong: a character was changed on the way.";
  return `You can make one with \`${command}\`.`;
}

/** The first and last two characters, for whoever looks for the place the key came from. */
function outline(secret: string): string {
  if (secret.length < 12 || !/^[\x21-\x7e]+$/.test(secret)) return "***";
  return `${secret.slice(0, 2)}***${secret.slice(-2)}`;
}
