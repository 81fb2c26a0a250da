/** A server of chat completions, which computes nothing: a test says which chunks it streams, and how it fails. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ChatReply {
  /** `delta` of each chunk; the last one gets the reason for the end. */
  readonly deltas?: readonly object[];
  readonly finish?: string | null;
  readonly usage?: object | null;
  /** The usage so far, in each chunk. */
  readonly usageSoFar?: object;
  /** Instead of an answer. */
  readonly status?: number;
  /** Body of an answer with that status. */
  readonly error?: object;
  /** Headers of an answer with that status. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole answer as JSON, of a server that does not stream. */
  readonly whole?: object;
  /** After the deltas, the connection is lost, or it stays silent. */
  readonly then?: "connection lost" | "silence";
}

export interface ChatDouble {
  readonly url: string;
  readonly bodies: Readonly<Record<string, unknown>>[];
  readonly keys: (string | undefined)[];
  readonly headers: IncomingMessage["headers"][];
  /** Requests whose client has left before their end. */
  readonly left: number;
  restart(answering: (body: Readonly<Record<string, unknown>>, at: number) => ChatReply): void;
}

/** Starts a double on 127.0.0.1; it ends with the test. Its list of models is empty, as some servers' lists are. */
export async function startChatDouble(
  finished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<ChatDouble> {
  let answering: (body: Readonly<Record<string, unknown>>, at: number) => ChatReply = () => ({});
  const double = {
    url: "",
    bodies: [] as Readonly<Record<string, unknown>>[],
    keys: [] as (string | undefined)[],
    headers: [] as IncomingMessage["headers"][],
    left: 0,
    restart(other: typeof answering) {
      answering = other;
      double.bodies.length = 0;
      double.keys.length = 0;
      double.headers.length = 0;
      double.left = 0;
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === "/v1/models") return void response.end('{"object":"list","data":[]}');
    if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, unknown>>;
    double.bodies.push(body);
    double.keys.push(request.headers.authorization);
    double.headers.push(request.headers);
    const reply = answering(body, double.bodies.length - 1);
    if (reply.status !== undefined)
      return void response
        .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
        .end(JSON.stringify({ error: reply.error ?? { message: "as the test says" } }));
    if (reply.whole !== undefined)
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(reply.whole));
    const { deltas = [{ content: "Hi" }], finish = "stop", usage = null, usageSoFar = null } = reply;
    let isOver = false;
    response.on("close", () => {
      if (!isOver) double.left += 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
    const common = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "other" };
    for (const delta of deltas)
      send({ ...common, choices: [{ index: 0, delta, finish_reason: null }], usage: usageSoFar });
    if (reply.then === "silence") return;
    isOver = true;
    // What was written is sent before the connection ends.
    if (reply.then === "connection lost") return void setImmediate(() => response.destroy());
    send({ ...common, choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    if (usage !== null) send({ ...common, choices: [], usage });
    response.end("data: [DONE]\n\n");
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  finished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(double, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
}
