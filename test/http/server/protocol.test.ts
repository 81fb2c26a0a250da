import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../kit/server.js";
import { hello } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { exchange, openSocket, readToEnd } from "../../kit/clients/raw.js";

const say = () => ["Good day."];

const shared = fileServer({ engine: say });
const limit = 64 * 1024;
const chat = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\n`;

describe("E19: a request", () => {
  const json = "Content-Type: application/json\r\nConnection: close\r\n";
  const expecting = (path: string, headers: string, expectation = "100-continue") =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${json}Expect: ${expectation}\r\n${headers}\r\n`;

  it.each([
    ["without a key", "Content-Length: 9\r\n", /^HTTP\/1.1 401 /],
    [
      "that declares a gigabyte",
      `Authorization: Bearer ${keys.ada}\r\nContent-Length: 1000000000\r\n`,
      /^HTTP\/1.1 413 /,
    ],
    [
      "that declares one byte too many",
      `Authorization: Bearer ${keys.ada}\r\nContent-Length: ${limit + 1}\r\n`,
      /^HTTP\/1.1 413 /,
    ],
  ])("%s is rejected before its body is asked for", async (_case, headers, status) => {
    const server = await startServer({ engine: say, config: { bodyBytesMax: limit } });
    const text = await exchange(server.port, expecting("/v1/chat/completions", headers));
    expect(text).toMatch(status);
    expect(text.toLowerCase()).toContain("connection: close");
  });

  it("that waits for 100 Continue is asked for its body once it is authenticated", async () => {
    const server = shared();
    const socket = await openSocket(server.port);
    const body = JSON.stringify(hello);
    const headers = `Authorization: Bearer ${keys.ada}\r\nContent-Length: ${body.length}\r\n`;
    socket.write(expecting("/v1/chat/completions", headers));
    const [interim] = (await once(socket, "data")) as [Buffer];
    expect(interim.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 200 .*Good day\./s);
  });

  it.each([
    ["/v1/chat/completions", '"code":"expectation_failed"'],
    ["/v1/messages", '{"type":"error","error":{"type":"invalid_request_error"'],
    ["/auth/teams", '{"code":3,"message":'],
  ])("to %s that expects something unknown gets 417 in the format of its API", async (path, body) => {
    const server = shared();
    const text = await exchange(server.port, expecting(path, "Content-Length: 2\r\n", "200-ok"));
    expect(text).toMatch(/^HTTP\/1.1 417 /);
    expect(text).toContain(body);
  });

  it.each([
    ["http://localhost/healthz", "evil.example", 200],
    ["HTTP://127.0.0.1:80/healthz?a=b", "evil.example", 200],
    ["http://evil.example/healthz", "localhost", 403],
    ["http://localhost@evil.example/healthz", "localhost", 403],
    ["http://localhost", "evil.example", 200],
    ["ftp://localhost/healthz", "localhost", 400],
  ])("for the whole URL %s is for its host and not for the Host header %s", async (url, host, status) => {
    const server = shared();
    const text = await exchange(
      server.port,
      `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("with two Host headers is a 400, even if they are equal", async () => {
    const server = shared();
    for (const second of ["evil.example", "localhost"]) {
      const hosts = `Host: localhost\r\nhost: ${second}\r\n`;
      const text = await exchange(server.port, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1.1 400 .*more than one Host header/s);
    }
  });

  it.each([false, true])("whose client closes its side is answered, with stream: %s", async (stream) => {
    const server = shared();
    const socket = await openSocket(server.port);
    const body = JSON.stringify({ ...hello, stream });
    socket.end(`${chat}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const text = await readToEnd(socket);
    expect(text).toMatch(/^(HTTP\/1.1 102 Processing\r\n\r\n)*HTTP\/1.1 200 /);
    expect(text).toContain(stream ? "data: [DONE]" : "Good day.");
  });

  it("of HTTP/1.0 whose client closes its side is answered when the answer is ready at once", async () => {
    const socket = await openSocket(shared().port);
    socket.end("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 200 /);
  });
});
