import { createHash } from "node:crypto";
import type { Random } from "../../core/random.js";

/** The prefix of a secret: `hk-` for API keys (/v1), `hm-` for management keys (/auth). */
export type SecretPrefix = "hk-" | "hm-";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyCharacters = 48;
/** 62^6 exceeds 2^32, so any CRC-32 fits. */
const checksumCharacters = 6;

/** Returns a new secret: the prefix, 48 base62 characters (285 bits) and 6 characters of checksum. */
export function issueSecret(prefix: SecretPrefix, random: Random): string {
  let secret: string = prefix;
  while (secret.length < prefix.length + bodyCharacters) {
    for (const byte of random.bytes(bodyCharacters)) {
      // 248 is four times 62; larger bytes would make some characters more likely than others.
      if (byte < 248 && secret.length < prefix.length + bodyCharacters) secret += alphabet[byte % 62];
    }
  }
  return secret + computeChecksum(secret);
}

/** Returns the SHA-256 of a secret, 32 bytes. Only this hash is stored. */
export function hashSecret(secret: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(secret, "utf8").digest());
}

/** Returns a text with everything replaced that looks like a secret or the start of one; for logs of client input. */
export type SecretFilter = (text: string) => string;

/**
 * Creates a secret filter.
 * @param pinned secrets chosen by the operator, in ASCII, which have no recognizable form. They are also found in a URL,
 * whichever of their characters are percent-encoded.
 */
export function createSecretFilter(pinned: readonly string[]): SecretFilter {
  const secret = new RegExp([...pinned.map(inAnyEncoding), "h[km]-[0-9a-z]{4,}"].join("|"), "gi");
  return (text) => text.replaceAll(secret, "***");
}

function inAnyEncoding(secret: string): string {
  const codes = [...Buffer.from(secret, "ascii")].map((code) => code.toString(16).padStart(2, "0"));
  return codes.map((code) => `(?:\\x${code}|%${code})`).join("");
}

/** Whether a text has the length and prefix of an issued secret but a wrong checksum. */
export function looksMistyped(secret: string): boolean {
  const checked = "hk-".length + bodyCharacters;
  if (!/^h[km]-/.test(secret) || secret.length !== checked + checksumCharacters) return false;
  return computeChecksum(secret.slice(0, checked)) !== secret.slice(checked);
}

function computeChecksum(text: string): string {
  let rest = crc32(Buffer.from(text, "utf8"));
  let digits = "";
  for (let place = 0; place < checksumCharacters; place++) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** CRC-32 as in zlib; Node's zlib provides it only since Node 22. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
