/** F26: every route that reads a body takes its bytes from one budget, and gives them back when its request ends in any way. */
import { request } from "node:http";
import { expect, it } from "vitest";
import { openSocket } from "../../kit/clients/raw.js";
import { startServer, fileServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const mebibyte = 1024 * 1024;
/** A body that takes the whole share of large ones. */
const largeBytes = mebibyte;
const config = { bodyBytesMax: 2 * mebibyte, bodiesBytesMax: 2 * mebibyte };

const shared = fileServer({ engine: () => ["Hi"], config });
const waitMs = 20_000;

const large = (body: object): string => JSON.stringify({ ...body, metadata: { a: "x".repeat(largeBytes) } });
const paths = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1/messages/batches",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/rerank",
  "/v1/images/generations",
  "/v1/tokenize-text",
  "/api/chat",
  "/api/generate",
  "/api/embed",
];

/** Sends a body that declares its length, or does not, and never ends. @returns a function that ends the connection */
async function beginBody(port: number, head: string, bytes: number): Promise<() => void> {
  const socket = await openSocket(port);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys.ada}\r\n` +
      `Content-Type: application/json\r\n${head}\r\n\r\n`,
  );
  const chunk = "x".repeat(bytes);
  socket.write(head.startsWith("Transfer") ? `${bytes.toString(16)}\r\n${chunk}\r\n` : chunk);
  return () => void socket.destroy();
}

/** Sends a body without a declared length. */
function sendChunked(
  port: number,
  body: string,
): Promise<{ status: number; retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = { port, method: "POST", path: "/v1/chat/completions", headers: headersOf(keys.ada) };
    const sent = request(options, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] });
    });
    sent.on("error", reject);
    sent.write(body.slice(0, 1000));
    sent.end(body.slice(1000));
  });
}

it("F26: large bodies beyond the budget are refused as overload with Retry-After on every route, small ones are answered", async () => {
  // The test moves the clock.
  const { port, url, clock } = await startServer({ engine: () => ["Hi"], config });
  const end = await beginBody(port, `Content-Length: ${2 * mebibyte}`, 1);
  const outcomes: (readonly [string, number, string | null])[] = [];
  for (const path of paths) {
    const sent = fetch(url + path, { method: "POST", headers: headersOf(keys.ada), body: large(hello) });
    await clock.whenWaiting(waitMs);
    expect((await post({ url }, hello)).status).toBe(200);
    clock.advance(waitMs);
    const { status, headers } = await sent;
    outcomes.push([path, status, headers.get("retry-after")]);
  }
  // Anthropic has a status of its own for a server that is overloaded.
  const statusOf = (path: string) => (path.startsWith("/v1/messages") ? 529 : 503);
  expect(outcomes).toEqual(paths.map((path) => [path, statusOf(path), "10"]));
  const chunked = sendChunked(port, large(hello));
  await clock.whenWaiting(waitMs);
  clock.advance(waitMs);
  expect(await chunked).toEqual({ status: 503, retryAfter: "10" });
  end();
});

it.each([
  ["whose client leaves in the middle", `Content-Length: ${2 * mebibyte}`, 400_000],
  ["without a length, whose client leaves in the middle", "Transfer-Encoding: chunked", 400_000],
])("F26: a request %s gives its bytes back", async (_case, head, bytes) => {
  const { port, url, clock } = shared();
  const end = await beginBody(port, head, bytes);
  const sent = post({ url }, large(hello));
  await clock.whenWaiting(waitMs);
  end();
  expect((await sent).status).toBe(400);
});

it.each([
  ["answered", JSON.stringify({ ...hello, unknown: "x".repeat(largeBytes) }), 200],
  ["refused by its fields", large(hello), 400],
  ["refused as JSON", `${large(hello)}}`, 400],
  ["refused by its model", large({ ...hello, model: "none" }), 400],
])("F26: requests that are %s give their bytes back", async (_case, body, status) => {
  const { port, url } = shared();
  for (let round = 0; round < 4; round += 1) {
    expect((await post({ url }, body)).status).toBe(status);
    expect((await sendChunked(port, body)).status).toBe(status);
  }
});
