import { createHash } from "node:crypto";
import type { Random } from "../../core/random.js";

/** What a secret begins with: API keys open /v1, management keys open /auth. */
export type SecretPrefix = "hk-" | "hm-";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyCharacters = 48;
/** 62^6 is more than 2^32, so any CRC-32 fits. */
const checksumCharacters = 6;
/** A secret shorter than this keeps all its characters to itself. */
const shownFromCharacters = 16;

/** A new secret: prefix, 48 base62 characters (285 bits), 6 of checksum. */
export function issueSecret(prefix: SecretPrefix, random: Random): string {
  let secret: string = prefix;
  while (secret.length < prefix.length + bodyCharacters) {
    for (const byte of random.bytes(bodyCharacters)) {
      // 248 is four times 62; the bytes above it would make some characters likelier than others.
      if (byte < 248 && secret.length < prefix.length + bodyCharacters) secret += alphabet[byte % 62];
    }
  }
  return secret + checksumOf(secret);
}

/** SHA-256 of the secret, 32 bytes; all that is ever stored of it. */
export function hashSecret(secret: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(secret, "utf8").digest());
}

/** What may be shown of a secret: `hk-...` and its last four characters; less of one that is short or of no known kind. */
export function redactSecret(secret: string): string {
  const prefix = /^h[km]-/.exec(secret)?.[0] ?? "";
  return `${prefix}...${secret.length >= shownFromCharacters ? secret.slice(-4) : ""}`;
}

/** Gives a text back with what looks like a secret, or like the beginning of one, left out: for logs of what strangers send. */
export type SecretFilter = (text: string) => string;

/**
 * @param pinned secrets of the operator's own choosing, in ASCII, which look like nothing that could be told from other words.
 * They are found in a URL, too, whichever of their characters are percent-encoded there.
 */
export function createSecretFilter(pinned: readonly string[]): SecretFilter {
  const secret = new RegExp([...pinned.map(inAnyCoding), "h[km]-[0-9a-z]{4,}"].join("|"), "gi");
  return (text) => text.replaceAll(secret, "***");
}

function inAnyCoding(secret: string): string {
  const codes = [...Buffer.from(secret, "ascii")].map((code) => code.toString(16).padStart(2, "0"));
  return codes.map((code) => `(?:\\x${code}|%${code})`).join("");
}

/** Whether it is long as an issued secret and begins like one, but cannot have been issued: some character is wrong. */
export function looksMistyped(secret: string): boolean {
  const checked = "hk-".length + bodyCharacters;
  if (!/^h[km]-/.test(secret) || secret.length !== checked + checksumCharacters) return false;
  return checksumOf(secret.slice(0, checked)) !== secret.slice(checked);
}

function checksumOf(text: string): string {
  let rest = crc32(Buffer.from(text, "utf8"));
  let digits = "";
  for (let place = 0; place < checksumCharacters; place++) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** CRC-32 as in zlib, which has it only from Node 22 on. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
