import { isIP } from "node:net";

/** Which hosts images may be fetched from. */
export interface AllowedHosts {
  /** None at all: nothing is ever fetched. */
  readonly isEmpty: boolean;
  /** Whether a URL's host and port are among them. */
  allow(url: URL): boolean;
}

/**
 * Reads an allow-list: `images.example.com`, `*.example.com` (any name below it), `*` (any name or public address), each with
 * `:port` where it is not the scheme's own.
 * @throws Error naming the entry that is none of these.
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
  /** Empty: the scheme's own. */
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
  return { port, matches: (asked) => (below ? asked.endsWith(`.${name}`) : asked === name) };
}

/** A host as URL writes it: lower case, in ASCII. */
function normalised(host: string): string | null {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return null;
  }
}
