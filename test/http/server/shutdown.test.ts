import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { hello, post } from "../../kit/server/requests.js";
import { gate, until } from "../../kit/until.js";
import { openSocket, readToEnd } from "../../kit/clients/raw.js";

const streamed = { ...hello, stream: true };

describe("a closing server", () => {
  it("finishes responses in flight, rejects new requests, then closes every connection", async () => {
    const wait = gate();
    const server = await startServer({
      engine: () => ["Good", wait.opened, " day."],
      config: { shutdownGraceMs: 10_000 },
    });
    const [streaming, whole] = [post(server, streamed), post(server, hello)];
    const response = await streaming;
    await until(() => server.scheduler.load.running === 2);
    const closing = server.close();
    const refused = await post(server, hello);
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([
      503,
      "10",
      "close",
    ]);
    expect(await refused.json()).toHaveProperty("error.code", "overloaded");
    wait.open();
    expect(await response.text()).toContain("[DONE]");
    expect(await (await whole).text()).toContain("Good day.");
    await closing;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it("aborts responses that are not finished within the grace time, and settles their runs", async () => {
    const server = await startServer({
      engine: () => ["Good", gate().opened],
      config: { shutdownGraceMs: 5000 },
    });
    const running = server.nextRun();
    const response = await post(server, streamed);
    const closing = server.close();
    await server.clock.whenWaiting(5000);
    server.clock.advance(5000);
    await closing;
    await expect(response.text()).rejects.toThrow();
    await (
      await running
    ).finished;
    expect(await server.records()).toMatchObject([{ state: "aborted" }]);
  });

  it("does not wait for idle connections", async () => {
    const server = await startServer({ engine: () => ["Good"], config: { shutdownGraceMs: 60_000 } });
    const socket = await openSocket(server.port);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const text = readToEnd(socket);
    await once(socket, "data");
    await Promise.all([server.close(), server.close()]);
    expect(await text).toContain('{"status":"ok"}');
  });
});

describe("listen", () => {
  it("rejects a port in use with a message and the system's error code", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(startServer({ engine: () => [], config: { port } })).rejects.toMatchObject({
      code: "EADDRINUSE",
      message: `Cannot listen on 127.0.0.1:${port}: another program is using it.`,
    });
    other.close();
  });

  it("returns the URL, also for an IPv6 address", async () => {
    const { url, port } = await startServer({ engine: () => [], config: { host: "::1" } });
    expect(url).toBe(`http://[::1]:${port}`);
  });
});
