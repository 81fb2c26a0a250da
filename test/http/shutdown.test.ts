import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { compose, gate, hello, post } from "./compose.js";
import { open, received } from "./raw.js";

const streamed = { ...hello, stream: true };

describe("closing", () => {
  it("lets the answers under way finish, refuses new requests, then closes every connection", async () => {
    const wait = gate();
    const server = await compose(() => ["Good", wait.opened, " day."]);
    const [streaming, whole] = [post(server, streamed), post(server, hello)];
    const response = await streaming;
    const closing = server.server.close(10_000);
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

  it("cuts off what is not finished within the grace time, and its run is settled", async () => {
    const server = await compose(() => ["Good", gate().opened]);
    const running = server.nextRun();
    const response = await post(server, streamed);
    const closing = server.server.close(5000);
    server.clock.advance(5000);
    await closing;
    await expect(response.text()).rejects.toThrow();
    await (
      await running
    ).settled;
    expect(server.records).toMatchObject([{ state: "aborted" }]);
  });

  it("does not wait for idle connections", async () => {
    const server = await compose(() => ["Good"]);
    const socket = await open(server.port);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const text = received(socket);
    await once(socket, "data");
    await Promise.all([server.server.close(60_000), server.server.close(60_000)]);
    expect(await text).toContain('{"status":"ok"}');
  });

  it("ends at once when nothing was ever bound", async () => {
    const server = await compose(() => ["Good"]);
    await server.server.close(0);
    await server.server.close(0);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });
});

describe("listening", () => {
  it("on a port in use is refused with a sentence and the system's code", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { server } = await compose(() => []);
    await server.close(0);
    await expect(server.listen("127.0.0.1", port)).rejects.toMatchObject({
      code: "EADDRINUSE",
      message: `Cannot listen on 127.0.0.1:${port}: another program is using it.`,
    });
    other.close();
  });

  it("says where, also for an IPv6 address", async () => {
    const { server } = await compose(() => []);
    await server.close(0);
    const { url, port } = await server.listen("::1", 0);
    expect(url).toBe(`http://[::1]:${port}`);
  });
});
