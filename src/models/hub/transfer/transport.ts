/**
 * The outgoing requests of a pull. Every connection goes to an address that was resolved and checked before, so that a name cannot
 * resolve differently later; redirects are followed one by one and checked like the first URL; the token goes to the origin of the hub
 * only. With a proxy, the proxy resolves names: only addresses in URLs are checked.
 */
import { isIP, BlockList } from "node:net";
import { request, type Dispatcher } from "undici";
import {
  createGuardedAgent,
  lookupAll,
  resolveHost,
  type Dial,
  type Lookup,
} from "../../../network/guarded-agent.js";
import { refusedAddress } from "../errors.js";
import type { HubSettings } from "../settings.js";
import { isPublicAddress } from "../../../network/addresses.js";

export interface NetworkDeps {
  /** Absent: the system's resolver. */
  readonly lookup?: Lookup;
  readonly dial?: Dial;
}

export interface HubAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Dispatcher.ResponseData["body"];
  /** Where the answer came from, after all redirects. */
  readonly url: URL;
  /** The headers of the first answer, of the server that was asked. */
  readonly first: Readonly<Record<string, string>>;
}

export type Transport = Awaited<ReturnType<typeof openTransport>>;

interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Refuses redirects to another origin. */
  readonly sameOrigin?: boolean;
}

/** Returns whether an address is as far from this machine as redirects must be. */
type IsAllowed = (address: string) => boolean;

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
  { token, proxies }: HubSettings,
  { lookup = lookupAll, dial }: NetworkDeps,
) {
  // Only a proxy may know the name.
  const found = mayBeNear ? await resolveHost(start.hostname, lookup).catch(() => []) : [];
  const nearest = findNearest(found.map(({ address }) => findReach(address)));
  const isAllowed: IsAllowed = (address) => {
    const reach = findReach(address);
    return reach !== null && !isNearer(reach, nearest);
  };
  const agent = createGuardedAgent({
    isAllowed,
    refuse: refuseNear,
    headerBytesMax,
    connectMsMax,
    proxies,
    lookup,
    dial,
  });
  return {
    /**
     * Sends a GET and follows redirects. Any status is an answer.
     * @throws HearthError for an address that must not be asked, or too many redirects; any error of the connection.
     */
    get: (url: URL, options: GetOptions): Promise<HubAnswer> =>
      follow(agent, isAllowed, token === null ? null : [start.origin, token], url, options),
    close: (): Promise<void> => agent.destroy(),
  };
}

/** @param credential the origin that the token is for, and the token */
async function follow(
  dispatcher: Dispatcher,
  isAllowed: IsAllowed,
  credential: readonly [origin: string, token: string] | null,
  start: URL,
  { headers = {}, signal, sameOrigin = false }: GetOptions,
): Promise<HubAnswer> {
  let url = start;
  let first: HubAnswer["first"] | null = null;
  for (let redirects = 0; ; redirects += 1) {
    checkUrl(url, isAllowed);
    const authorization = credential?.[0] === url.origin ? { authorization: `Bearer ${credential[1]}` } : {};
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, {
      dispatcher,
      headers: { "user-agent": "hearth", "accept-encoding": "identity", ...headers, ...authorization },
      signal,
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
function checkUrl(url: URL, isAllowed: IsAllowed): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refusedAddress(url.host, "only http and https are.");
  if (url.username !== "" || url.password !== "")
    throw refusedAddress(url.host, "its URL holds a user name or a password.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const address = /(?:^|\.)localhost\.?$/i.test(host) ? "127.0.0.1" : host;
  if (isIP(address) !== 0 && !isAllowed(address)) throw refuseNear(host);
}

function refuseNear(host: string): Error {
  return refusedAddress(host, "it is not at a public address.");
}

function findNearest(found: readonly (AddressReach | null)[]): AddressReach {
  return found
    .map((reach) => reach ?? "public")
    .reduce((nearest, each) => (isNearer(each, nearest) ? each : nearest), "public");
}

function isNearer(a: AddressReach, b: AddressReach): boolean {
  return reaches.indexOf(a) > reaches.indexOf(b);
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

// How near an address is to this machine, which decides where a redirect may lead.

/** How far from this machine an address is; farther ones come first. */
const reaches = ["public", "private", "loopback"] as const;
type AddressReach = (typeof reaches)[number];

/** Networks of an organisation, and one that some proxies use for every name. */
const private4 = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
] as const;
/** Addresses of metadata services within them: they give credentials to anyone on the machine. */
const metadata = ["100.100.100.200", "fd00:ec2::254", "fd20:ce::254"];

const inside = new BlockList();
for (const [network, prefix] of private4) inside.addSubnet(network, prefix, "ipv4");
inside.addSubnet("fc00::", 7, "ipv6");
const metadataServices = new BlockList();
for (const address of metadata) metadataServices.addAddress(address, address.includes(":") ? "ipv6" : "ipv4");
const own = new BlockList();
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addAddress("::1", "ipv6");

/**
 * Returns how far an address is; null for one that nobody should be sent to: link-local, metadata services, multicast, reserved, IPv4
 * inside of IPv6, and other strings.
 */
function findReach(address: string): AddressReach | null {
  if (isPublicAddress(address)) return "public";
  const version = isIP(address);
  if (version === 0 || address.includes("%") || /^::ffff:/i.test(address)) return null;
  const family = version === 4 ? "ipv4" : "ipv6";
  if (metadataServices.check(address, family)) return null;
  if (own.check(address, family)) return "loopback";
  return inside.check(address, family) ? "private" : null;
}
