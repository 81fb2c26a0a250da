import { isIP } from "node:net";

/** Which hosts the server may connect to for one purpose. */
export interface AllowedHosts {
  /** true: no host is allowed. */
  readonly isEmpty: boolean;
  /** Returns whether a URL's host and port are allowed. */
  allow(url: URL): boolean;
  /**
   * Returns whether an entry names this very address, with the port of the URL; `localhost` names the loopback addresses of that name.
   * Only such an address may be one that is not public.
   */
  name(address: string, url: URL): boolean;
}

/**
 * Parses an allow-list: `images.example.com`, `*.example.com` (any subdomain), `*` (any name or public address), each with `:port` if
 * it is not the scheme's default.
 * @param setting the name of the setting that has the list.
 * @throws Error naming the setting and an invalid entry.
 */
export function readAllowedHosts(entries: readonly string[], setting: string): AllowedHosts {
  const rules = entries.map((entry) => readEntry(entry, setting));
  return {
    isEmpty: rules.length === 0,
    allow: ({ hostname, port }) => {
      const host = hostname.toLowerCase();
      return rules.some((rule) => rule.port === port && rule.matches(host));
    },
    name: (address, { hostname, port }) => {
      const isLocal =
        hostname.toLowerCase() === "localhost" && (address === "127.0.0.1" || address === "::1");
      const host = isLocal ? "localhost" : isIP(address) === 6 ? `[${address}]` : address;
      return rules.some((rule) => rule.port === port && rule.host === host);
    },
  };
}

interface Rule {
  /** Empty: the scheme's default. */
  readonly port: string;
  /** The one host that the rule is for; null: it is for several. */
  readonly host: string | null;
  matches(host: string): boolean;
}

function readEntry(entry: string, setting: string): Rule {
  const [, host = "", port = ""] = /^([^\s/?#@\\]+?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (host === "*") return { port, host: null, matches: () => true };
  const below = host.startsWith("*.");
  const name = normalised(below ? host.slice(2) : host);
  if (name === null || name.includes("*") || (below && isIP(name) !== 0))
    throw new Error(`${setting}: '${entry}' is not a host, *.domain or *, with :port or without`);
  return below
    ? { port, host: null, matches: (hostname) => hostname.endsWith(`.${name}`) }
    : { port, host: name, matches: (hostname) => hostname === name };
}

/** Returns a host as URL normalises it: lower case, in ASCII. */
function normalised(host: string): string | null {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return null;
  }
}
