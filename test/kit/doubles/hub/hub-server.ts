/**
 * A hub of models for tests: its API and its redirects at one origin, the bytes at another, as a content delivery network has them. What
 * a test changes in `behaviour` holds for later requests.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { serveApi } from "./api.js";
import { serveBytes } from "./bytes.js";
import type { Behaviour, SeenRequest, TestHub } from "./hub.js";

/** Every repository of the hub holds these files, at this commit until a test says otherwise. */
const commit = "c".repeat(40);

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
