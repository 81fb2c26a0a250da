/**
 * One HTTP GET to an address that was resolved and checked before, with the host name of the URL. Sends nothing from the client: no
 * credentials, no cookies, only the headers below and the headers of a trace. Follows no redirects and decompresses nothing.
 */
import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { bareHost } from "./resolve.js";
import { refuseTooLarge } from "./data-url.js";
import { refusedImage } from "../core/requests/refused-image.js";

export type FetchedKind = "images" | "files";

/** What is asked for, by what is fetched. */
export const acceptHeaders: Readonly<Record<FetchedKind, string>> = {
  images: "image/*",
  files: "application/pdf, text/*, */*;q=0.5",
};

/** Opens a connection to a checked address. */
export type SocketDial = (address: LookupAddress, port: number) => Socket;

export interface DownloadRequest {
  readonly url: URL;
  /** The header `accept`. */
  readonly accept: string;
  readonly address: LookupAddress;
  readonly param: string;
  readonly bytesMax: number;
  /** Headers that the request has in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the download at any time. */
  readonly signal: AbortSignal;
}

export type DownloadResult =
  { readonly type: "bytes"; readonly bytes: Uint8Array } | { readonly type: "moved"; readonly to: string };

const redirects = [301, 302, 303, 307, 308];
const headerBytesMax = 16 * 1024;

/** Downloads a file. @throws HearthError `invalid_value` naming `param`; any error of the socket. */
export async function downloadUrl(dial: SocketDial, request: DownloadRequest): Promise<DownloadResult> {
  const { url, address, param, bytesMax } = request;
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const socket = dial(address, port);
  // With TLS there is no other listener; errors are reported by the request.
  socket.on("error", () => undefined);
  try {
    const response = await openResponse(isSecure ? secured(socket, url) : socket, request);
    const { statusCode = 0, headers } = response;
    if (redirects.includes(statusCode)) return { type: "moved", to: headers.location ?? "" };
    if (statusCode !== 200) throw refusedImage(param, `was answered with the status ${statusCode}`);
    if (!/^(identity)?$/i.test(headers["content-encoding"] ?? ""))
      throw refusedImage(param, "was sent compressed, though that was not asked for");
    if (Number(headers["content-length"] ?? 0) > bytesMax) throw refuseTooLarge(param, bytesMax);
    return { type: "bytes", bytes: await readBody(response, param, bytesMax) };
  } finally {
    socket.destroy();
  }
}

/** Starts TLS for the host name of the URL, with its certificate checked. */
function secured(socket: Socket, url: URL): Socket {
  const host = bareHost(url);
  return connectTls({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
}

function openResponse(
  socket: Socket,
  { url, accept, headers, signal }: DownloadRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      // With an agent, Node would open its own connection to the host in the options.
      createConnection: () => socket,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, accept, "accept-encoding": "identity", connection: "close" },
      maxHeaderSize: headerBytesMax,
      signal,
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

async function readBody(response: IncomingMessage, param: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw refuseTooLarge(param, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
