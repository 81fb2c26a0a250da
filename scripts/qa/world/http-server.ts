/** Servers of this process, and answers of chat completions that they stream. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:net";

/** Lets a server listen on a free port. @returns its address, as of an HTTP server */
export async function listen(server: Server, host = "127.0.0.1"): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${host}:${address.port}`;
}

/** Reads the body of a request. @throws Error when it is longer */
export async function readBody(request: IncomingMessage, bytesMax = Infinity): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw new Error("the body is too long");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

/** Sends a part of the message. */
export function sendDelta(response: ServerResponse, delta: object, finish: string | null = null): void {
  send(response, { choices: [{ index: 0, delta, finish_reason: finish }] });
}

export function sendUsage(response: ServerResponse, promptTokens: number, completionTokens: number): void {
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  send(response, { choices: [], usage });
}

export function endStream(response: ServerResponse): void {
  response.end("data: [DONE]\n\n");
}

function send(response: ServerResponse, fields: object): void {
  const chunk = { id: "chunk", object: "chat.completion.chunk", created: 1, model: "scripted", ...fields };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
