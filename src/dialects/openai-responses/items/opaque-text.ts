/** Encodes text that clients store and send back unchanged. The encoding is opaque to clients, but not secret. Pure. */

const prefix = "hearth1.";

/** Encodes a text as `hearth1.` followed by base64url. */
export function encodeOpaque(text: string): string {
  return prefix + Buffer.from(text, "utf8").toString("base64url");
}

/** Returns the text that `encodeOpaque` encoded; null for any other value. */
export function decodeOpaque(encoded: string): string | null {
  if (!encoded.startsWith(prefix)) return null;
  const text = Buffer.from(encoded.slice(prefix.length), "base64url").toString("utf8");
  return encodeOpaque(text) === encoded ? text : null;
}
