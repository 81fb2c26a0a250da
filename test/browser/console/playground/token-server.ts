/** A server that streams the tokens of a chat completion without end, at an even pace. */
import { EventEmitter, once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface TokenServerOptions {
  /** The text before the first token, in one piece. */
  readonly before: string;
  readonly token: string;
  readonly everyMs: number;
}

export interface TokenServer {
  readonly url: string;
  /** Resolves when so many tokens have been sent. */
  sent(tokens: number): Promise<void>;
  /** Resolves when the client has closed the connection. */
  readonly left: Promise<void>;
}

/** Starts the server; it ends with the test. */
export async function startTokenServer({ before, token, everyMs }: TokenServerOptions): Promise<TokenServer> {
  const waiting: { readonly tokens: number; readonly resolve: () => void }[] = [];
  let count = 0;
  const gone = new EventEmitter();
  const left = once(gone, "close").then(() => undefined);
  const server = http.createServer((_req, res) => {
    const frame = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(frame(before));
    const timer = setInterval(() => {
      res.write(frame(token));
      count++;
      for (const { tokens, resolve } of waiting) if (count >= tokens) resolve();
    }, everyMs);
    res.on("close", () => {
      clearInterval(timer);
      gone.emit("close");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`,
    sent: (tokens) => new Promise((resolve) => waiting.push({ tokens, resolve })),
    left,
  };
}
