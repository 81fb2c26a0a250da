import { isIP } from "node:net";

/** Which hosts images may be fetched from. */
export interface AllowedHosts {
  /** true: no host is allowed. */
  readonly isEmpty: boolean;
  /** Returns whether a URL's host and port are allowed. */
  allow(url: URL): boolean;
}

/**
 * Parses an allow-list: `images.example.com`, `*.example.com` (any subdomain), `*` (any name or public address), each with `:port` if
 * it is not the scheme's default.
 * @throws Error naming an invalid entry.
 */
export function readAllowedHosts(entries: readonly string[]): AllowedHosts {
  const rules = entries.map(readEntry);
  return {
    isEmpty: rules.length === 0,
    allow: ({ hostname, port }) => {
      const host = hostname.toLowerCase();
      return rules.some((rule) => rule.port === port && rule.matches(host));
    },
  };
}

interface Rule {
  /** Empty: the scheme's default. */
  readonly port: string;
  matches(host: string): boolean;
}

function readEntry(entry: string): Rule {
  const [, host = "", port = ""] = /^([^\s/?#@\\]+?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (host === "*") return { port, matches: () => true };
  const below = host.startsWith("*.");
  const name = normalised(below ? host.slice(2) : host);
  if (name === null || name.includes("*") || (below && isIP(name) !== 0))
    throw new Error(`imageFetch: '${entry}' is not a host, *.domain or *, with :port or without`);
  return { port, matches: (hostname) => (below ? hostname.endsWith(`.${name}`) : hostname === name) };
}

/** Returns a host as URL normalises it: lower case, in ASCII. */
function normalised(host: string): string | null {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return null;
  }
}
