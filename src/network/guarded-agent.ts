/**
 * Connections to hosts that clients, teams or servers name. A name is resolved once for each connection, all its addresses are checked,
 * and the connection uses the checked addresses, so that the name cannot resolve differently later (DNS rebinding).
 */
import { lookup as lookupName, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from "undici";

/** Returns all addresses of a name. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Opens a connection to one of the addresses: TCP, and TLS for https. */
export type Dial = (
  options: buildConnector.Options,
  addresses: readonly LookupAddress[],
  callback: buildConnector.Callback,
) => void;

interface GuardedAgentOptions {
  /** Returns whether an address may be connected to. All addresses of a name must be allowed. */
  readonly isAllowed: (address: string) => boolean;
  readonly headerBytesMax: number;
  readonly connectMsMax: number;
  /** Whether a connection serves several requests; absent: true. */
  readonly keepsAlive?: boolean;
  /** Proxies, which resolve names themselves: the agent checks no address behind them. Absent: none. */
  readonly proxies?: { readonly http: string; readonly https: string; readonly no: string };
  /** Creates the error for a host with an address that is not allowed, or without an address. */
  readonly refuse?: (host: string) => Error;
  /** Absent: the system's resolver. */
  readonly lookup?: Lookup;
  readonly dial?: Dial;
}

/** Creates the agent for requests of undici. Silence has no limit: the caller's signal limits the time of a request. */
export function createGuardedAgent({
  isAllowed,
  headerBytesMax,
  connectMsMax,
  keepsAlive = true,
  proxies,
  refuse = refuseHost,
  lookup = lookupAll,
  dial = (target, addresses, callback) => dialPinned(connectMsMax, target, addresses, callback),
}: GuardedAgentOptions): Dispatcher {
  const options: Agent.Options = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: keepsAlive ? undefined : 0,
    connect: (target, callback) => {
      resolveHost(target.hostname, lookup)
        .then((addresses) => {
          const areAllowed = addresses.every(({ address }) => isAllowed(address));
          if (!areAllowed || addresses.length === 0) throw refuse(target.hostname);
          dial(target, addresses, callback);
        })
        .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null));
    },
  };
  if (proxies === undefined) return new Agent(options);
  const { http, https, no } = proxies;
  return new EnvHttpProxyAgent({ ...options, httpProxy: http, httpsProxy: https, noProxy: no });
}

/** Returns the addresses of a host, which may be an address itself, with brackets or without. */
export async function resolveHost(hostname: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  return family === 0 ? lookup(host) : [{ address: host, family }];
}

/** Looks a name up with the system's resolver. */
export function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupName(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

function refuseHost(host: string): Error {
  return new Error(`${host} has no address or one that is not public`);
}

/** Connects to checked addresses; the name is not looked up again. */
function dialPinned(
  timeout: number,
  target: buildConnector.Options,
  addresses: readonly LookupAddress[],
  callback: buildConnector.Callback,
): void {
  const lookup: LookupFunction = (_host, { all }, found) => {
    const [first] = addresses;
    if (all === true) found(null, [...addresses]);
    else if (first !== undefined) found(null, first.address, first.family);
  };
  buildConnector({ timeout, lookup, maxCachedSessions: 0 })(target, callback);
}
