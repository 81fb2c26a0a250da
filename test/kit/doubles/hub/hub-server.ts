/**
 * A hub of models for tests: its API and its redirects at one origin, the bytes at another, as a content delivery network has them. What
 * a test changes in `behaviour` holds for later requests.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { serveApi } from "./api.js";
import { serveBytes } from "./bytes.js";

export interface Behaviour {
  /** Token that the hub demands; null: none. */
  token: string | null;
  /** The account of the token has not accepted the licence. */
  isGated: boolean;
  /** Whether the server of the bytes knows ranges. */
  hasRanges: boolean;
  /** Whether it sends a range though the condition of the request is not met. */
  ignoresConditions: boolean;
  /** Ends each connection after so many bytes of a body; 0: never. */
  cutAfterBytes: number;
  /** Sends no more after so many bytes of a body, for so many answers. */
  stall: { afterBytes: number; answers: number };
  /** Bytes of all bodies together in a second; 0: as fast as possible. */
  bytesPerSecond: number;
  /** Changes one byte of each body. */
  isDamaged: boolean;
  /** Added to the size that the hub lists. */
  listedBytesMore: number;
  /** Bytes that follow the file, in an answer without a length. */
  bytesTooMany: number;
  /** The commit of the main branch. */
  commit: string;
  /** Answers of the server of the bytes, each once, before it serves. */
  failures: { status: number; headers?: Record<string, string> }[];
  /** The same of the hub's API. */
  apiFailures: { status: number; headers?: Record<string, string> }[];
  /** Where the hub redirects to instead of the server of the bytes; null: there. */
  redirectTo: string | null;
  /** URL where the hub's list of files continues; null: it is complete. */
  listContinuesAt: string | null;
  /** ETag of the bytes; null: none is sent. */
  etag: string | null;
  /** Runs before an answer of the server of the bytes. */
  beforeBytes: (request: IncomingMessage) => void;
}

export interface SeenRequest {
  readonly server: "hub" | "cdn";
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
}

export interface TestHub {
  readonly url: string;
  /** Origin of the bytes; `/plain/NAME` serves a file without the hub. */
  readonly cdnUrl: string;
  readonly files: Map<string, Buffer>;
  readonly behaviour: Behaviour;
  readonly requests: SeenRequest[];
  /** Bytes of bodies that the server of the bytes has sent. */
  readonly sent: { bytes: number };
}

/** Every repository of the hub holds these files, at this commit until a test says otherwise. */
const commit = "c".repeat(40);

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Starts the two servers; they end with the test. */
export async function startHub(
  files: Readonly<Record<string, Uint8Array>>,
  finished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<TestHub> {
  const behaviour: Behaviour = {
    token: null,
    isGated: false,
    hasRanges: true,
    ignoresConditions: false,
    cutAfterBytes: 0,
    stall: { afterBytes: 0, answers: 0 },
    bytesPerSecond: 0,
    isDamaged: false,
    listedBytesMore: 0,
    bytesTooMany: 0,
    commit,
    failures: [],
    apiFailures: [],
    redirectTo: null,
    listContinuesAt: null,
    etag: '"one"',
    beforeBytes: () => undefined,
  };
  const requests: SeenRequest[] = [];
  const hub = {
    url: "",
    cdnUrl: "",
    files: new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes)])),
    behaviour,
    requests,
    sent: { bytes: 0 },
  };
  hub.cdnUrl = await listen(finished, (request, response) => {
    requests.push(seen("cdn", request));
    serveBytes(hub, request, response);
  });
  hub.url = await listen(finished, (request, response) => {
    requests.push(seen("hub", request));
    serveApi(hub, request, response);
  });
  return hub;
}

function seen(server: SeenRequest["server"], { url = "", headers }: IncomingMessage): SeenRequest {
  const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
  return { server, path, range: headers.range ?? null, authorization: headers.authorization ?? null };
}

async function listen(
  finished: (cleanUp: () => Promise<void>) => void,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  finished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
