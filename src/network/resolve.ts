/** Resolves names to addresses that may be connected to. */
import { lookup as lookupName, type LookupAddress } from "node:dns";
import { isIP } from "node:net";

/** Returns all addresses of a name. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Returns the address to connect to: the first one of the URL's host. The connection must use it, so that the name cannot resolve
 * differently later (DNS rebinding).
 * @param isAllowed whether an address may be connected to; all addresses of the name must be.
 * @throws Error for a name without addresses, or with one that is not allowed.
 */
export async function resolveAllowed(
  lookup: Lookup,
  url: URL,
  isAllowed: (address: string) => boolean,
): Promise<LookupAddress> {
  const host = bareHost(url);
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  const [address] = addresses;
  if (address === undefined || !addresses.every((each) => isAllowed(each.address)))
    throw new Error(`${host} has no address or one that is not public`);
  return address;
}

/** Looks a name up with the system's resolver. */
export function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupName(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
