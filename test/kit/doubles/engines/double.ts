/** A server that speaks a remote engine's protocol and computes nothing: a test says which tokens it samples, and how it fails. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request for tokens, in the words of no protocol. */
export interface AskedSegment {
  readonly prompt: readonly number[];
  readonly grammar: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the double does with a request for tokens. */
export interface Reply {
  /** Tokens of each frame; engines merge several into one. */
  readonly frames: readonly (readonly number[])[];
  readonly finish: "stop" | "length";
  /** Resolves before the first frame. */
  readonly after?: Promise<unknown>;
  /** After this number of frames the connection is lost, or an error is sent. */
  readonly breaks?: { readonly after: number; readonly by: "connection" | "error" };
  /** The prompt that it says it has read; absent: the one that was sent. */
  readonly read?: readonly number[];
  readonly status?: number;
}

export type Answering = (asked: AskedSegment, at: number) => Reply;

export interface Protocol {
  /** Path of requests for tokens. */
  readonly path: string;
  asked(body: Readonly<Record<string, unknown>>): AskedSegment;
  /** Yields the data of each event. */
  events(asked: AskedSegment, reply: Reply): Generator<string, void, undefined>;
  errorEvent(message: string): string;
  /** Answers other paths. */
  other(path: string, body: Readonly<Record<string, unknown>>, tokenize: Tokenize): unknown;
}

export type Tokenize = (text: string) => readonly number[];

export interface Double {
  readonly url: string;
  readonly asked: AskedSegment[];
  /** Bodies of requests for vectors. */
  readonly embedded: Readonly<Record<string, unknown>>[];
  /** What it answers to requests for vectors; null: as its protocol says. */
  embeddings: ((body: Readonly<Record<string, unknown>>, at: number) => unknown) | null;
  /** Requests whose client has left before their end. */
  readonly left: number;
  /** Whether it says that it is ready. */
  isReady: boolean;
  readonly headers: IncomingMessage["headers"][];
  /** Forgets the requests so far, and answers others so from now on. */
  restart(answering: Answering): void;
  close(): Promise<void>;
}

/** Starts a double on 127.0.0.1; it ends with the test. */
export async function startDouble(
  protocol: Protocol,
  tokenize: Tokenize,
  answering: Answering,
  finished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<Double> {
  const double = {
    url: "",
    asked: [] as AskedSegment[],
    embedded: [] as Readonly<Record<string, unknown>>[],
    embeddings: null as Double["embeddings"],
    headers: [] as IncomingMessage["headers"][],
    left: 0,
    isReady: true,
    restart(other: Answering) {
      answering = other;
      double.asked.length = 0;
      double.headers.length = 0;
      double.left = 0;
    },
    close,
  };
  const server = createServer((request, response) => void handle(request, response));
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    const path = request.url ?? "";
    if (path === "/health") return void response.writeHead(double.isReady ? 200 : 503).end("{}");
    if (path !== protocol.path) {
      if (path === "/v1/embeddings") double.embedded.push(body);
      const own = path === "/v1/embeddings" ? double.embeddings : null;
      const answer = own?.(body, double.embedded.length - 1) ?? protocol.other(path, body, tokenize);
      if (typeof answer === "string") return void response.end(answer);
      return void response
        .writeHead(answer === null ? 404 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(answer));
    }
    double.headers.push(request.headers);
    await stream(protocol.asked(body), response);
  }
  async function stream(asked: AskedSegment, response: ServerResponse): Promise<void> {
    double.asked.push(asked);
    const reply = answering(asked, double.asked.length - 1);
    if (reply.status !== undefined)
      return void response
        .writeHead(reply.status, { "content-type": "application/json" })
        .end('{"error":{"message":"as the test says"}}');
    let isOver = false;
    response.on("close", () => {
      if (!isOver) double.left += 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    await reply.after;
    let sent = 0;
    for (const data of protocol.events(asked, reply)) {
      if (reply.breaks?.after === sent) {
        isOver = true;
        if (reply.breaks.by === "connection") return void response.destroy();
        return void response.end(`data: ${protocol.errorEvent("out of memory")}\n\n`);
      }
      response.write(`data: ${data}\n\n`);
      sent += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (response.destroyed) return;
    }
    isOver = true;
    response.end("data: [DONE]\n\n");
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  finished(close);
  return Object.assign(double, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
