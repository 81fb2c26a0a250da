/** A server of chat completions that computes nothing: the last message says how many words it streams, and how fast. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "../world/listen.js";

export const scriptedModel = "scripted";

export interface ScriptedEngine {
  readonly url: string;
  close(): void;
}

/** Returns a message that asks for this many words, with a pause before each. */
export function askFor(words: number, pauseMs: number): string {
  return `Please write ${words} words, one every ${pauseMs} ms.`;
}

/** @param host the address that it listens on */
export async function startEngine(host: string): Promise<ScriptedEngine> {
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
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.url !== "/v1/chat/completions") return void response.end('{"object":"list","data":[]}');
  const asked = /write (\d+) words, one every (\d+) ms/.exec(Buffer.concat(chunks).toString());
  const [words, pauseMs] = [Number(asked?.[1] ?? 1), Number(asked?.[2] ?? 0)];
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (fields: object): void => {
    const chunk = {
      id: "chunk",
      object: "chat.completion.chunk",
      created: 1,
      model: scriptedModel,
      ...fields,
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  send(choice({ role: "assistant" }));
  for (let word = 0; word < words && !response.destroyed; word += 1) {
    if (pauseMs > 0) await delay(pauseMs);
    send(choice({ content: ` word${word}` }));
  }
  send(choice({}, "stop"));
  const prompt_tokens = 20;
  send({
    choices: [],
    usage: { prompt_tokens, completion_tokens: words, total_tokens: prompt_tokens + words },
  });
  response.end("data: [DONE]\n\n");
}
