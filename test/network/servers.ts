/** Local servers that represent the internet: every connection leads to one of them, and is recorded. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import type { LookupAddress } from "node:dns";
import { buildConnector } from "undici";
import { onTestFinished } from "vitest";
import type { ImageFetcher } from "../../src/core/images/images.js";
import { createImageFetcher } from "../../src/network/fetch.js";
import { readAllowedHosts } from "../../src/network/hosts.js";
import { createManualClock, type ManualClock } from "../kit/manual-clock.js";

/** A public address. */
export const publicAddress = "93.184.216.34";

export interface Internet {
  readonly fetcher: ImageFetcher;
  readonly clock: ManualClock;
  /** `address:port` of every opened connection. */
  readonly dialled: readonly string[];
  /** Resolved names. */
  readonly lookedUp: readonly string[];
  readonly requests: readonly IncomingMessage[];
  readonly logs: readonly string[];
  /** Fetches the URL as the server does, and returns the content as text. */
  read(url: string): Promise<string>;
  /** Fetches the URL and returns the error message. */
  refusal(url: string): Promise<string>;
}

export interface InternetOptions {
  readonly allowed?: readonly string[];
  /** Addresses of names, one answer per lookup; the last one repeats. Absent: the public address; none: the lookup fails. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What is fetched; absent: images. */
  readonly fetches?: "images" | "files";
  /** Replaces the HTTP server. */
  readonly server?: Server;
}

export const param = "messages.0.content.0.image_url.url";

export async function internet(listener: RequestListener, options: InternetOptions = {}): Promise<Internet> {
  const requests: IncomingMessage[] = [];
  const server =
    options.server ??
    createServer((request, response) => {
      requests.push(request);
      listener(request, response);
    });
  const port = await listening(server);
  const clock = createManualClock(0);
  const open = buildConnector({});
  const [dialled, lookedUp, logs]: [string[], string[], string[]] = [[], [], []];
  const fetcher = createImageFetcher({
    clock,
    allowedHosts: readAllowedHosts(options.allowed ?? ["*"], "imageFetch"),
    fetches: options.fetches,
    log: (message) => logs.push(message),
    lookup: async (host) => {
      const answers = options.names?.[host] ?? [[publicAddress]];
      const at = Math.min(lookedUp.filter((name) => name === host).length, answers.length - 1);
      lookedUp.push(host);
      if (answers.length === 0) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
      return (answers[at] ?? []).map(addressOf);
    },
    dial: (asked, addresses, callback) => {
      const askedPort = asked.port || (asked.protocol === "https:" ? "443" : "80");
      dialled.push(...addresses.map(({ address }) => `${address}:${askedPort}`));
      open({ ...asked, hostname: "127.0.0.1", port: String(port) }, callback);
    },
  });
  const { signal } = new AbortController();
  const read = (url: string): Promise<string> =>
    fetcher.fetch(url, param, signal).then((bytes) => Buffer.from(bytes).toString());
  const refusal = (url: string): Promise<string> =>
    read(url).then(
      (text) => Promise.reject(new Error(`${url} was read: ${text.slice(0, 100)}`)),
      (error: Error) => error.message,
    );
  return { fetcher, clock, dialled, lookedUp, requests, logs, read, refusal };
}

/** Listens on a free port until the test ends; closes open connections then. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

function addressOf(address: string): LookupAddress {
  return { address, family: address.includes(":") ? 6 : 4 };
}
