/**
 * One exchange with one server: a GET to an address that was resolved and checked before, under the name that it was asked
 * for. Sends nothing of the client: no credentials, no cookies, no headers but these. Follows nothing, unpacks nothing.
 */
import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { tooLarge } from "./data-url.js";
import { refusedImage } from "../refused.js";

/** Opens a connection to an address that was checked. */
export type Dial = (address: LookupAddress, port: number) => Socket;

export interface Asked {
  readonly url: URL;
  readonly address: LookupAddress;
  readonly param: string;
  readonly bytesMax: number;
  /** Ends the exchange wherever it stands. */
  readonly signal: AbortSignal;
}

export type Reply =
  { readonly type: "bytes"; readonly bytes: Uint8Array } | { readonly type: "moved"; readonly to: string };

const redirects = [301, 302, 303, 307, 308];
const headerBytesMax = 16 * 1024;

/** @throws HearthError `invalid_value` naming `param`; whatever the socket throws. */
export async function download(dial: Dial, asked: Asked): Promise<Reply> {
  const { url, address, param, bytesMax, signal } = asked;
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const socket = dial(address, port);
  // Under TLS nobody else listens, and what goes wrong is told by the request.
  socket.on("error", () => undefined);
  try {
    const response = await responseOf(isSecure ? secured(socket, url) : socket, url, signal);
    const { statusCode = 0, headers } = response;
    if (redirects.includes(statusCode)) return { type: "moved", to: headers.location ?? "" };
    if (statusCode !== 200) throw refusedImage(param, `was answered with the status ${statusCode}`);
    if (!/^(identity)?$/i.test(headers["content-encoding"] ?? ""))
      throw refusedImage(param, "was sent compressed, though that was not asked for");
    if (Number(headers["content-length"] ?? 0) > bytesMax) throw tooLarge(param, bytesMax);
    return { type: "bytes", bytes: await bodyOf(response, param, bytesMax) };
  } finally {
    socket.destroy();
  }
}

/** Over TLS, for the name of the URL and with its certificate checked. */
function secured(socket: Socket, { hostname }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  return connectTls({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
}

function responseOf(socket: Socket, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      // With an agent, even none of its own, Node would connect by itself to what the options name.
      createConnection: () => socket,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, accept: "image/*", "accept-encoding": "identity", connection: "close" },
      maxHeaderSize: headerBytesMax,
      signal,
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

async function bodyOf(response: IncomingMessage, param: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw tooLarge(param, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
