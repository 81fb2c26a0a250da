/**
 * Fetches the bytes of images, and of other files. `data:` URLs are always decoded; http(s) URLs only from hosts that the operator allows, and only from
 * public addresses: a name is resolved once, all its addresses are checked, and the connection uses a checked address, so that the name
 * cannot resolve differently later (DNS rebinding). Redirects are checked like the client's URL.
 */
import { setImmediate } from "node:timers/promises";
import { type Dispatcher, request } from "undici";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { imageBytesMax, type ImageFetcher } from "../core/images/images.js";
import { isPublicAddress } from "./addresses.js";
import type { AllowedHosts } from "./hosts.js";
import { refusedImage } from "../core/requests/refused-image.js";
import { readDataUrl, refuseTooLarge } from "./data-url.js";
import { createGuardedAgent, type Dial, type Lookup } from "./guarded-agent.js";

interface ImageFetcherDeps {
  readonly clock: Clock;
  readonly allowedHosts: AllowedHosts;
  /** What is fetched, for headers and errors; absent: images. */
  readonly fetches?: FetchedKind;
  /** Receives the real cause of a failure, which clients never see. */
  readonly log: (message: string) => void;
  /** Returns all addresses of a name; absent: the system's resolver. */
  readonly lookup?: Lookup;
  /** Returns headers that each request has in addition; absent: none. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly dial?: Dial;
}

/** xAI's own limit. */
const fetchMsMax = 5_000;
const headerBytesMax = 16 * 1024;
const redirectsMax = 3;
const urlCharsMax = 8192;

/** Creates the fetcher. */
export function createImageFetcher(deps: ImageFetcherDeps): ImageFetcher {
  return {
    async fetch(url, param, signal) {
      if (/^data:/i.test(url)) return readDataUrlYielding(url, param, signal);
      const parsed = readUrl(url, param);
      if (deps.allowedHosts.isEmpty)
        throw refusedImage(
          param,
          `must be a data: URL; this server fetches no ${deps.fetches ?? "images"} (setting imageFetch)`,
        );
      return withinTime(deps, param, signal, (until) => fetchAlone(deps, parsed, param, until));
    },
  };
}

/** Decodes a data URL and yields to the event loop before and after, since each step takes some milliseconds for a large one. */
async function readDataUrlYielding(url: string, param: string, signal: AbortSignal): Promise<Uint8Array> {
  await setImmediate();
  signal.throwIfAborted();
  const bytes = await readDataUrl(url, param, imageBytesMax);
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

/** @returns null when it is invalid or too long. */
function parseUrl(text: string, base?: URL): URL | null {
  try {
    return text.length > urlCharsMax ? null : new URL(text, base?.href);
  } catch {
    return null;
  }
}

/** Downloads an image over connections of its own. */
async function fetchAlone(
  deps: ImageFetcherDeps,
  url: URL,
  param: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { lookup, dial } = deps;
  const agent = createGuardedAgent({
    isAllowed: isPublicAddress,
    headerBytesMax,
    connectMsMax: fetchMsMax,
    keepsAlive: false,
    lookup,
    dial,
  });
  try {
    return await follow(agent, deps, url, param, signal);
  } finally {
    void agent.destroy().catch(() => undefined);
  }
}

/** Downloads an image and follows allowed redirects. */
async function follow(
  agent: Dispatcher,
  deps: ImageFetcherDeps,
  first: URL,
  param: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { fetches = "images" } = deps;
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    if (!deps.allowedHosts.allow(url))
      throw refusedImage(param, `leads to a host that this server fetches no ${fetches} from`);
    const headers = deps.headers?.() ?? {};
    const reply = await downloadUrl(agent, { url, fetches, headers, param, bytesMax: imageBytesMax, signal });
    if (reply.type === "bytes") return reply.bytes;
    if (redirects === redirectsMax)
      throw refusedImage(param, `is redirected more than ${redirectsMax} times`);
    const next = readUrl(parseUrl(reply.to, url)?.href ?? "", param);
    if (url.protocol === "https:" && next.protocol !== "https:")
      throw refusedImage(param, "is redirected from https to http");
    url = next;
  }
}

/**
 * Runs the work within the time limit. All failures of names, addresses, connections and time have one message: several would show a
 * client which names of the internal network exist.
 */
async function withinTime(
  { clock, log, fetches = "images" }: ImageFetcherDeps,
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
    log(`one of the ${fetches} of a request could not be fetched: ${String(thrown)}`);
    throw refusedImage(param, `could not be fetched from a public address within ${fetchMsMax} ms`, thrown);
  } finally {
    stopTimer();
    late.abort();
  }
}

/** Rejects when the signal aborts, since a name lookup itself cannot be aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error("aborted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

// Sends one GET for an image or a file. It sends the headers below and the headers of a trace, and neither credentials nor cookies of the
// client. It does not follow a redirect: the caller gets it. It refuses a compressed body.

type FetchedKind = "images" | "files";

/** What is asked for, by what is fetched. */
const acceptHeaders: Readonly<Record<FetchedKind, string>> = {
  images: "image/*",
  files: "application/pdf, text/*, */*;q=0.5",
};

interface DownloadRequest {
  readonly url: URL;
  readonly fetches: FetchedKind;
  readonly param: string;
  readonly bytesMax: number;
  /** Headers that the request has in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the download at any time. */
  readonly signal: AbortSignal;
}

type DownloadResult =
  { readonly type: "bytes"; readonly bytes: Uint8Array } | { readonly type: "moved"; readonly to: string };

const redirects = [301, 302, 303, 307, 308];

/** Downloads a file. @throws HearthError `invalid_value` naming `param`; any error of the connection. */
async function downloadUrl(
  dispatcher: Dispatcher,
  { url, fetches, param, bytesMax, headers: more, signal }: DownloadRequest,
): Promise<DownloadResult> {
  const { statusCode, headers, body } = await request(url, {
    dispatcher,
    headers: { ...more, accept: acceptHeaders[fetches], "accept-encoding": "identity" },
    signal,
  });
  // Its errors are thrown where it is read; destroying it may emit another.
  body.on("error", () => undefined);
  try {
    if (redirects.includes(statusCode)) return { type: "moved", to: String(headers["location"] ?? "") };
    if (statusCode !== 200) throw refusedImage(param, `was answered with the status ${statusCode}`);
    if (!/^(identity)?$/i.test(String(headers["content-encoding"] ?? "")))
      throw refusedImage(param, "was sent compressed, though that was not asked for");
    if (Number(headers["content-length"] ?? 0) > bytesMax) throw refuseTooLarge(param, bytesMax);
    return { type: "bytes", bytes: await readBody(body, param, bytesMax) };
  } finally {
    body.destroy();
  }
}

async function readBody(body: AsyncIterable<Buffer>, param: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw refuseTooLarge(param, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
