/**
 * Where the bytes of images come from. `data:` URLs are always read; http(s) ones only from hosts that the operator allows, and
 * only from public addresses: a name is resolved once, every address it has is checked, and the connection goes to the very
 * address that was checked, so that a name cannot mean something else a moment later. Each redirect is checked like a URL of
 * the client. It owns these checks and their limits; what the bytes are is the decoder's business.
 */
import { lookup as lookupName, type LookupAddress } from "node:dns";
import { connect, isIP } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../core/clock.js";
import { HearthError } from "../../../core/errors.js";
import type { ImageFetcher } from "../../../core/images.js";
import { refusedImage } from "../refused.js";
import { isPublicAddress } from "./addresses.js";
import { readDataUrl } from "./data-url.js";
import { download, type Dial } from "./download.js";
import type { AllowedHosts } from "./hosts.js";

export interface ImageFetcherDeps {
  readonly clock: Clock;
  readonly allowedHosts: AllowedHosts;
  /** Told what really went wrong, which no client is. */
  readonly log: (message: string) => void;
  /** All addresses of a name; absent: the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
  /** Absent: a TCP connection. */
  readonly dial?: Dial;
}

/** xAI's own limits. */
const bytesMax = 10 * 1024 * 1024;
const fetchMsMax = 5_000;
const redirectsMax = 3;
const urlCharsMax = 8192;

/** Builds the fetcher. */
export function createImageFetcher(deps: ImageFetcherDeps): ImageFetcher {
  return {
    async fetch(url, param, signal) {
      if (/^data:/i.test(url)) return readAmongOthers(url, param, signal);
      const asked = readUrl(url, param);
      if (deps.allowedHosts.isEmpty)
        throw refusedImage(param, "must be a data: URL; this server fetches no images (setting imageFetch)");
      return withinTime(deps, param, signal, (until) => follow(deps, asked, param, until));
    },
  };
}

/** A large one takes some milliseconds, as does what is done with it before and after: others get their turn between. */
async function readAmongOthers(url: string, param: string, signal: AbortSignal): Promise<Uint8Array> {
  await setImmediate();
  signal.throwIfAborted();
  const bytes = await readDataUrl(url, param, bytesMax);
  await setImmediate();
  return bytes;
}

function readUrl(url: string, param: string): URL {
  const parsed = parseUrl(url);
  if (parsed === null) throw refusedImage(param, "is not a data: or http(s) URL");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    throw refusedImage(param, "must be a data:, http: or https: URL");
  if (parsed.username !== "" || parsed.password !== "")
    throw refusedImage(param, "must not hold a user name or a password");
  return parsed;
}

/** @returns null where it is none, or longer than any that is meant. */
function parseUrl(text: string, base?: URL): URL | null {
  try {
    return text.length > urlCharsMax ? null : new URL(text, base?.href);
  } catch {
    return null;
  }
}

/** Goes where the redirects lead, as far as that is allowed. */
async function follow(
  deps: ImageFetcherDeps,
  first: URL,
  param: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    if (!deps.allowedHosts.allow(url))
      throw refusedImage(param, "leads to a host that this server fetches no images from");
    const address = await resolve(deps, url, param);
    signal.throwIfAborted();
    const reply = await download(deps.dial ?? dialTcp, { url, address, param, bytesMax, signal });
    if (reply.type === "bytes") return reply.bytes;
    if (redirects === redirectsMax)
      throw refusedImage(param, `is redirected more than ${redirectsMax} times`);
    const next = readUrl(parseUrl(reply.to, url)?.href ?? "", param);
    if (url.protocol === "https:" && next.protocol !== "https:")
      throw refusedImage(param, "is redirected from https to http");
    url = next;
  }
}

/** The one address that is connected to. A single address that is not public spoils the name. */
async function resolve(
  { lookup = lookupAll }: ImageFetcherDeps,
  url: URL,
  param: string,
): Promise<LookupAddress> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  const [address] = addresses;
  if (address === undefined || !addresses.every((each) => isPublicAddress(each.address)))
    throw refusedImage(param, "leads to an address that is not public");
  return address;
}

/** Runs the work under the one time limit; whatever went wrong in it is told without a word of the network's own. */
async function withinTime(
  { clock, log }: ImageFetcherDeps,
  param: string,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const late = new AbortController();
  const stopTimer = clock.after(fetchMsMax, () => late.abort(new Error("late")));
  const until = AbortSignal.any([signal, late.signal]);
  try {
    return await Promise.race([work(until), aborted(until)]);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HearthError) throw thrown;
    if (late.signal.aborted) throw refusedImage(param, `could not be fetched within ${fetchMsMax} ms`);
    log(`an image could not be fetched: ${String(thrown)}`);
    throw refusedImage(param, "could not be fetched", thrown);
  } finally {
    stopTimer();
    late.abort();
  }
}

/** A name that does not resolve cannot be hurried: whoever waits for it leaves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error("aborted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupName(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

function dialTcp({ address, family }: LookupAddress, port: number): ReturnType<Dial> {
  return connect({ host: address, family, port, lookup: neverLookup });
}

/** An address needs none; were it a name, it would be resolved a second time. */
function neverLookup(host: string): never {
  throw new Error(`${host} is no address`);
}
