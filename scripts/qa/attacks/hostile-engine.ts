/** Engines that misbehave: a server of chat completions whose models each have a fault of their own, and one that never tokenizes. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { endStream, listen, readBody, sendDelta, sendUsage, startStream } from "../world/http-server.js";

/** Where the engines listen. */
export interface EngineUrls {
  readonly url: string;
  readonly silentUrl: string;
}

type Fault = (response: ServerResponse) => void;

const manyCalls = 200;
const pieceMs = 5;

/** What each model does with a request, by its name. */
export const hostileModels: Readonly<Record<string, Fault>> = {
  "engine-usage": (response) => {
    sendText(response, "text");
    sendUsage(response, 1e15, 1e15);
    end(response);
  },
  "engine-no-usage": (response) => {
    sendText(response, "text");
    sendUsage(response, 0, 0);
    end(response);
  },
  "engine-endless-text": (response) => repeat(response, () => sendText(response, " word")),
  "engine-endless-pings": (response) => repeat(response, () => response.write(": ping\n\n")),
  "engine-empty-deltas": (response) => repeat(response, () => sendText(response, "")),
  "engine-endless-line": (response) => {
    response.write("data: ");
    repeat(response, () => response.write("x".repeat(65_536)));
  },
  "engine-open-after-done": (response) => {
    sendText(response, "text");
    sendDelta(response, {}, "stop");
    response.write("data: [DONE]\n\n");
  },
  "engine-silent": () => undefined,
  "engine-many-calls": (response) => {
    for (let index = 0; index < manyCalls; index += 1)
      sendDelta(response, {
        tool_calls: [{ index, id: `call-${index}`, function: { name: "look", arguments: '{"at":1}' } }],
      });
    end(response);
  },
};

/** Starts both servers on loopback; they end with the process. */
export async function listenAsEngines(): Promise<EngineUrls> {
  const chat = createServer((request, response) => void answer(request, response));
  const silent = createServer((request, response) => {
    if (request.url === "/health") response.end('{"status":"ok"}');
  });
  const [url, silentUrl] = await Promise.all([listen(chat), listen(silent)]);
  return { url: `${url}/v1`, silentUrl };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  response.on("error", () => undefined);
  if (request.method !== "POST") return void response.end('{"object":"list","data":[]}');
  const { model } = JSON.parse(body) as { model: string };
  startStream(response);
  hostileModels[model]?.(response);
}

function repeat(response: ServerResponse, write: () => void): void {
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (!response.writableNeedDrain) write();
  }, pieceMs);
}

function sendText(response: ServerResponse, content: string): void {
  sendDelta(response, { content });
}

function end(response: ServerResponse): void {
  sendDelta(response, {}, "stop");
  endStream(response);
}
