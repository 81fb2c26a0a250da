/**
 * The outgoing requests of a pull. Every connection goes to an address that was resolved and checked before, so that a name cannot
 * resolve differently later; redirects are followed one by one and checked like the first URL; the token goes to the origin of the hub
 * only. With a proxy, the proxy resolves names: only addresses in URLs are checked.
 */
import { lookup as lookupName, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector, EnvHttpProxyAgent, request, type Dispatcher } from "undici";
import { refusedAddress } from "../errors.js";
import type { HubSettings } from "../settings.js";
import { reaches, reachOf, type IsPublicAddress, type Reach } from "./reach.js";

export interface NetworkDeps {
  /** Returns all addresses of a name; absent: the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
  /** Opens a connection to one of the addresses; absent: TCP, and TLS for https. */
  readonly dial?: Dial;
}

export interface AddressDeps {
  readonly isPublicAddress: IsPublicAddress;
}

export type Dial = (
  options: buildConnector.Options,
  addresses: readonly LookupAddress[],
  callback: buildConnector.Callback,
) => void;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Dispatcher.ResponseData["body"];
  /** Where the answer came from, after all redirects. */
  readonly url: URL;
  /** The headers of the first answer, of the server that was asked. */
  readonly first: Readonly<Record<string, string>>;
}

export type Transport = Awaited<ReturnType<typeof openTransport>>;

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Refuses redirects to another origin. */
  readonly sameOrigin?: boolean;
}

/** Throws for an address that must not be asked. */
type CheckAddresses = (host: string, addresses: readonly LookupAddress[]) => void;

const redirectStatuses = [301, 302, 303, 307, 308];
const redirectsMax = 10;
const connectMsMax = 20_000;
const headerBytesMax = 32 * 1024;

/**
 * Creates the transport of one pull.
 * @param start the hub's endpoint, or the URL that was named. Redirects lead only to addresses that are as far from this machine as this
 * one, or farther: from the internet never into a private network, and from there never to this machine.
 * @param mayBeNear whether the start itself may be at an address that is not public.
 */
export async function openTransport(
  start: URL,
  mayBeNear: boolean,
  { token, proxies }: Pick<HubSettings, "token" | "proxies">,
  { lookup = lookupAll, dial = dialPinned, isPublicAddress }: NetworkDeps & AddressDeps,
) {
  const reach = (address: string): Reach | null => reachOf(address, isPublicAddress);
  const nearest = mayBeNear ? nearestOf((await lookedUp(start, lookup)).map(reach)) : "public";
  const check: CheckAddresses = (host, addresses) => {
    const areAllowed = addresses.every(({ address }) => isAllowed(reach(address), nearest));
    if (!areAllowed || addresses.length === 0) throw refusedAddress(host, "it is not at a public address.");
  };
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.no,
    maxHeaderSize: headerBytesMax,
    connect: (options, callback) => {
      addressesOf(options.hostname, lookup)
        .then((addresses) => {
          check(options.hostname, addresses);
          dial(options, addresses, callback);
        })
        .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null));
    },
  });
  return {
    /**
     * Sends a GET and follows redirects. Any status is an answer.
     * @throws HearthError for an address that must not be asked, or too many redirects; any error of the connection.
     */
    get: (url: URL, options: GetOptions): Promise<Answer> =>
      follow(agent, check, token === null ? null : [start.origin, token], url, options),
    close: (): Promise<void> => agent.destroy(),
  };
}

/** @param credential the origin that the token is for, and the token */
async function follow(
  dispatcher: Dispatcher,
  check: CheckAddresses,
  credential: readonly [origin: string, token: string] | null,
  start: URL,
  { headers = {}, signal, sameOrigin = false }: GetOptions,
): Promise<Answer> {
  let url = start;
  let first: Answer["first"] | null = null;
  for (let redirects = 0; ; redirects += 1) {
    checkUrl(url, check);
    const authorization = credential?.[0] === url.origin ? { authorization: `Bearer ${credential[1]}` } : {};
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, {
      dispatcher,
      headers: { "user-agent": "hearth", "accept-encoding": "identity", ...headers, ...authorization },
      signal,
      // The caller limits the time between two pieces of an answer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const received = flat(answered);
    first ??= received;
    const { location } = received;
    if (!redirectStatuses.includes(statusCode) || location === undefined)
      return { status: statusCode, headers: received, body, url, first };
    await body.dump();
    if (redirects === redirectsMax)
      throw refusedAddress(url.host, `it redirects more than ${redirectsMax} times.`);
    url = nextUrl(location, url, sameOrigin);
  }
}

function nextUrl(location: string, from: URL, sameOrigin: boolean): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (next === null) throw refusedAddress(from.host, "it redirects to an invalid URL.");
  if (from.protocol === "https:" && next.protocol !== "https:")
    throw refusedAddress(next.host, `${from.host} redirects to it from https to http.`);
  if (sameOrigin && next.origin !== from.origin)
    throw refusedAddress(next.host, `${from.host} redirects to it what only the hub itself may answer.`);
  return next;
}

/** Checks what can be checked without a look-up; addresses are checked where there is a proxy, too. */
function checkUrl(url: URL, check: CheckAddresses): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refusedAddress(url.host, "only http and https are.");
  if (url.username !== "" || url.password !== "")
    throw refusedAddress(url.host, "its URL holds a user name or a password.");
  const host = bare(url.hostname);
  const isOwnName = /(?:^|\.)localhost\.?$/i.test(host);
  if (isIP(host) !== 0) check(host, [{ address: host, family: isIP(host) }]);
  else if (isOwnName) check(host, [{ address: "127.0.0.1", family: 4 }]);
}

/** Returns the addresses of a host; none where only a proxy can resolve its name. */
async function lookedUp(
  { hostname }: URL,
  lookup: NonNullable<NetworkDeps["lookup"]>,
): Promise<readonly string[]> {
  const addresses = await addressesOf(hostname, lookup).catch(() => []);
  return addresses.map(({ address }) => address);
}

function nearestOf(found: readonly (Reach | null)[]): Reach {
  return found
    .map((reach) => reach ?? "public")
    .reduce((nearest, each) => (isNearer(each, nearest) ? each : nearest), "public");
}

function isAllowed(reach: Reach | null, nearest: Reach): boolean {
  return reach !== null && !isNearer(reach, nearest);
}

function isNearer(a: Reach, b: Reach): boolean {
  return reaches.indexOf(a) > reaches.indexOf(b);
}

async function addressesOf(
  hostname: string,
  lookup: NonNullable<NetworkDeps["lookup"]>,
): Promise<readonly LookupAddress[]> {
  const host = bare(hostname);
  const family = isIP(host);
  return family === 0 ? lookup(host) : [{ address: host, family }];
}

/** Connects to addresses that were checked; the name is not looked up again. */
function dialPinned(
  options: buildConnector.Options,
  addresses: readonly LookupAddress[],
  callback: buildConnector.Callback,
): void {
  const lookup: LookupFunction = (_host, { all }, found) => {
    const [first] = addresses;
    if (all === true) found(null, [...addresses]);
    else if (first !== undefined) found(null, first.address, first.family);
  };
  buildConnector({ timeout: connectMsMax, lookup })(options, callback);
}

function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupName(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns one value for each header, the first. */
function flat(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return Object.fromEntries(entries);
}
