import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { exchange, openSocket, readToEnd } from "../../kit/clients/raw.js";

const say = () => ["Good day."];

const shared = fileServer({ engine: say });
const limit = 64 * 1024;
const auth = `Host: localhost\r\nAuthorization: Bearer ${keys.ada}\r\n`;
const chat = `POST /v1/chat/completions HTTP/1.1\r\n${auth}`;

function send(
  server: ScriptedServer,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body,
    headers: { ...headersOf(keys.ada), ...headers },
  });
}

/** JSON of exactly this many bytes. */
function sized(bytes: number): string {
  const rest = JSON.stringify({ ...hello, note: "" });
  return JSON.stringify({ ...hello, note: "x".repeat(bytes - rest.length) });
}

describe("a request body", () => {
  const deep = (levels: number) =>
    `{"model":"ember-1m","messages":[{"role":"user","content":"x"}],"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  it.each<[string, string | Uint8Array<ArrayBuffer>, number, string]>([
    ["that is cut off", '{"model":', 400, "malformed"],
    ["with NaN", '{"model":"ember-1m","temperature":NaN}', 400, "malformed"],
    ["of white space", "  ", 400, "malformed"],
    ["that is no UTF-8", new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400, "not valid UTF-8"],
    ["nested 100,000 levels deep", deep(30_000), 400, "nested deeper"],
    ["nested just too deep", deep(128), 400, "nested deeper"],
    ["nested deep, yet within bounds", deep(127), 200, "Good day."],
    ["that begins with a byte order mark", `\ufeff${JSON.stringify(hello)}`, 200, "Good day."],
    ["with a second byte order mark", `\ufeff\ufeff${JSON.stringify(hello)}`, 400, "malformed"],
    [
      "with brackets inside a string",
      JSON.stringify({ ...hello, note: '\\"[[['.repeat(200) }),
      200,
      "Good day.",
    ],
    [
      "with brackets behind an escaped quote in a long string",
      JSON.stringify({ ...hello, note: `${"x".repeat(200)}"${"[".repeat(200)}` }),
      200,
      "Good day.",
    ],
    [
      "nested just too deep behind a long string that ends with backslashes",
      `{"user":${JSON.stringify(`${"x".repeat(200)}\\\\`)},${deep(128).slice(1)}`,
      400,
      "nested deeper",
    ],
    ["with a byte order mark", `\ufeff${JSON.stringify(hello)}`, 200, "Good day."],
    [
      "with keys that touch prototypes",
      `{"__proto__":{"stream":true},${JSON.stringify(hello).slice(1)}`,
      200,
      "Good day.",
    ],
    ["with a key twice", `{"model":"gpt-x",${JSON.stringify(hello).slice(1)}`, 200, "Good day."],
    [
      "with half a surrogate pair",
      JSON.stringify({ ...hello, messages: [{ role: "user", content: "\ud800" }] }),
      200,
      "Good day.",
    ],
    ["that is a list", "[]", 422, "must be a JSON object"],
    ["that is null", "null", 422, "must be a JSON object"],
    ["as large as allowed", sized(limit), 200, "Good day."],
    ["one byte too large", sized(limit + 1), 413, "larger than the limit of 65536 bytes"],
    ["of 5 MB", sized(5_000_000), 413, "larger than the limit"],
  ])("E8: %s", async (_case, body, status, contains) => {
    const server = shared();
    const response = await send(server, body);
    expect(await response.text()).toContain(contains);
    expect(response.status).toBe(status);
    expect((await post(server, hello)).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ["plain text, as a web page may send it unasked", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["something that only begins like JSON", { "content-type": "application/json-seq" }],
    ["UTF-16", { "content-type": "application/json; charset=utf-16" }],
    ["gzip", { "content-encoding": "gzip" }],
  ])("E5: declared as %s is a 415", async (_case, headers) => {
    const response = await send(shared(), JSON.stringify(hello), headers);
    expect(response.status).toBe(415);
    expect(await response.json()).toHaveProperty("error.code", "unsupported_media_type");
  });

  it("that declares UTF-8 in any case is accepted", async () => {
    const response = await send(shared(), JSON.stringify(hello), {
      "content-type": 'Application/JSON; Charset="UTF-8"',
    });
    expect(response.status).toBe(200);
  });

  it("that is missing or empty is a 415, with or without a content type", async () => {
    const server = shared();
    const close = "Connection: close\r\n\r\n";
    for (const rest of [
      close,
      `Content-Type: application/json\r\n${close}`,
      `Content-Type: application/json\r\nContent-Length: 0\r\n${close}`,
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${close}0\r\n\r\n`,
    ])
      expect(await exchange(server.port, chat + rest)).toMatch(/^HTTP\/1.1 415 /);
  });

  it("that declares a gigabyte is rejected before any of it is read", async () => {
    const server = shared();
    const text = await exchange(
      server.port,
      `${chat}Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(text.toLowerCase()).toContain("connection: close");
  });

  it("in endless chunks is rejected, and its connection closed", async () => {
    const server = shared();
    const socket = await openSocket(server.port);
    const text = readToEnd(socket);
    socket.write(`${chat}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 200) {
      sent += 1;
      if (!socket.write(chunk))
        await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    }
    await text;
    expect(sent).toBeLessThan(200);
    expect((await post(server, hello)).status).toBe(200);
  });

  it("in chunks slightly over the limit still receives the error", async () => {
    const server = shared();
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const text = await exchange(
      server.port,
      `${chat}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });

  it("of a client without a key is not read", async () => {
    const server = shared();
    const text = await exchange(
      server.port,
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1.1 401 /);
  });

  it("that its client abandons does not affect other requests", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    const socket = await openSocket(server.port);
    socket.write(`${chat}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"model"`);
    socket.destroy();
    await once(socket, "close");
    expect((await post(server, hello)).status).toBe(200);
    expect(server.logs.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("E4: the Host header", () => {
  const ask = (port: number, host: string | null, version = "1.1") =>
    exchange(
      port,
      `GET /healthz HTTP/${version}\r\n${host === null ? "" : `Host: ${host}\r\n`}Connection: close\r\n\r\n`,
    );

  it.each([
    "localhost",
    "LOCALHOST:4280",
    "127.0.0.1",
    "127.0.0.1:9",
    "[::1]",
    "[::1]:4280",
    "hearth.lan",
    "Hearth.LAN:80",
  ])("%s is accepted", async (host) => {
    const server = await startServer({ engine: say, config: { allowedHosts: ["hearth.lan"] } });
    expect(await ask(server.port, host)).toMatch(/^HTTP\/1.1 200 /);
  });

  it.each([
    "evil.example",
    "evil@localhost",
    "localhost@evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "[::2]",
    "localhost:x",
    "localhost/evil",
    "",
  ])("'%s' is rejected", async (host) => {
    const server = await startServer({ engine: say, config: { allowedHosts: ["hearth.lan"] } });
    expect(await ask(server.port, host)).toMatch(/^HTTP\/1.1 40[03] /);
  });

  it("that is missing, as in HTTP/1.0, is rejected", async () => {
    expect(await ask(shared().port, null, "1.0")).toMatch(/^HTTP\/1.1 403 /);
  });

  it("is not checked when the operator serves the network", async () => {
    const server = await startServer({ engine: say, config: { host: "0.0.0.0" } });
    expect(await ask(server.port, "anything.example")).toMatch(/^HTTP\/1.1 200 /);
  });

  it("is not replaced by X-Forwarded-Host", async () => {
    const server = shared();
    const text = await exchange(
      server.port,
      "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\nConnection: close\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe("a request id", () => {
  const idOf = async (sent: string) => {
    const response = await fetch(`${shared().url}/nowhere`, {
      headers: { "x-request-id": sent },
    });
    return [response.headers.get("x-request-id"), response.headers.get("request-id")];
  };

  it("of the client is returned with every response, including errors", async () => {
    expect(await idOf("Order-66.a_b")).toEqual(["Order-66.a_b", "Order-66.a_b"]);
  });

  it.each(["has spaces", "x".repeat(129), "semi;colon", "caf\u00e9", "<b>"])(
    "E16: is replaced by one of the server if it is '%s'",
    async (sent) => {
      const [id] = await idOf(sent);
      expect(id).toMatch(/^0193a1c2-[0-9-a-f]+$/);
    },
  );
});

describe("E7: a client that abuses the protocol", () => {
  it("with headers of a megabyte is rejected", async () => {
    const server = shared();
    const text = await exchange(
      server.port,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: ${"x".repeat(1_000_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^(HTTP\/1.1 431 |$)/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it.each([
    ["headers", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"],
    ["body", `${chat}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`],
  ])("and never finishes its %s is disconnected", async (_part, beginning) => {
    const server = await startServer({
      engine: say,
      httpLimits: { headersTimeoutMs: 100, requestTimeoutMs: 100 },
      config: { bodyBytesMax: limit },
    });
    expect(await exchange(server.port, beginning)).toMatch(/^HTTP\/1.1 408 /);
    expect(server.logs.filter(({ level }) => level === "error")).toEqual([]);
  });

  it.each(["GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u0000\u0001\r\n\r\n"])(
    "and does not send HTTP is disconnected",
    async (text) => {
      const server = shared();
      expect(await exchange(server.port, text)).toMatch(/^HTTP\/1.1 400 /);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );
});
