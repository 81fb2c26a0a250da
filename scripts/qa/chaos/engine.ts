/** A server of chat completions that computes nothing: the last message says how many words it streams, and how fast. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { endStream, listen, readBody, sendDelta, sendUsage, startStream } from "../world/http-server.js";
import { chatPath } from "../world/requests.js";

export const scriptedModel = "scripted";
const promptTokens = 20;

export interface WordEngine {
  readonly url: string;
  close(): void;
}

/** Returns a message that asks for this many words, with a pause before each. */
export function askFor(words: number, pauseMs: number): string {
  return `Please write ${words} words, one every ${pauseMs} ms.`;
}

/** @param host the address that it listens on */
export async function startEngine(host: string): Promise<WordEngine> {
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  return {
    url: await listen(server, host),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (request.url !== chatPath) return void response.end('{"object":"list","data":[]}');
  const asked = /write (\d+) words, one every (\d+) ms/.exec(body);
  const [words, pauseMs] = [Number(asked?.[1] ?? 1), Number(asked?.[2] ?? 0)];
  startStream(response);
  sendDelta(response, { role: "assistant" });
  for (let word = 0; word < words && !response.destroyed; word += 1) {
    if (pauseMs > 0) await delay(pauseMs);
    sendDelta(response, { content: ` word${word}` });
  }
  sendDelta(response, {}, "stop");
  sendUsage(response, promptTokens, words);
  endStream(response);
}
