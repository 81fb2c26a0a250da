/** No character of a shorter secret is shown. */
const shownFromCharacters = 16;

/** Returns what may be shown of a secret: `hk-...` and the last four characters, or less for short or unknown secrets. */
export function redactSecret(secret: string): string {
  const prefix = /^h[km]-/.exec(secret)?.[0] ?? "";
  return `${prefix}...${secret.length >= shownFromCharacters ? secret.slice(-4) : ""}`;
}
