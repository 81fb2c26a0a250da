/** Text that clients carry as it is and hand back: opaque to them, not secret. Pure. */

const prefix = "hearth1.";

/** Seals a text into letters, digits, `-` and `_`. */
export function seal(text: string): string {
  return prefix + Buffer.from(text, "utf8").toString("base64url");
}

/** The text of what was sealed here; null for anything else. */
export function unseal(sealed: string): string | null {
  if (!sealed.startsWith(prefix)) return null;
  const text = Buffer.from(sealed.slice(prefix.length), "base64url").toString("utf8");
  return seal(text) === sealed ? text : null;
}
