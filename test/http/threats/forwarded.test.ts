import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { allAcls } from "../../kit/server/management.js";
import { exchange } from "../../kit/clients/raw.js";

const [inside, outside] = ["203.0.113.7", "198.51.100.1"];

/** Starts a server that the test reaches from 127.0.0.1. */
function behind(trustProxy: boolean): Promise<ManagedServer> {
  return startServer({ accounts: "managed", environment: { HEARTH_TRUST_PROXY: String(trustProxy) } });
}

/** Creates a key for these addresses and returns the status of a request with it and these headers. */
async function keyFrom(server: ManagedServer, ...ipRanges: readonly string[]) {
  const { apiKey } = await server.createKey(await server.createTeam(), { acls: allAcls, ipRanges });
  return async (headers: Record<string, string> = {}): Promise<number> => {
    const init = { headers: { authorization: `Bearer ${apiKey}`, ...headers } };
    const response = await fetch(`${server.url}/v1/models`, init);
    await response.text();
    return response.status;
  };
}

/** Headers that claim a client address. */
const claims = (address: string): readonly Record<string, string>[] => [
  { "x-forwarded-for": address },
  { "x-forwarded-for": `${address}, 127.0.0.1` },
  { "x-real-ip": address },
  { "x-client-ip": address },
  { "cf-connecting-ip": address },
  { "true-client-ip": address },
  { forwarded: `for=${address}` },
];

describe("E6: a client that claims an address", () => {
  it("is not believed without a proxy", async () => {
    const server = await behind(false);
    const [fromInside, fromHere] = [await keyFrom(server, inside), await keyFrom(server, "127.0.0.1")];
    expect([await fromInside(), await fromHere()]).toEqual([403, 200]);
    for (const claim of claims(inside)) expect([claim, await fromInside(claim)]).toEqual([claim, 403]);
    for (const claim of claims(outside)) expect([claim, await fromHere(claim)]).toEqual([claim, 200]);
  });

  it("is not believed behind a proxy, whose own last entry is", async () => {
    const server = await behind(true);
    const [fromInside, fromHere] = [await keyFrom(server, inside), await keyFrom(server, "127.0.0.1")];
    const through = (...addresses: readonly string[]) => ({ "x-forwarded-for": addresses.join(", ") });
    expect(await fromInside(through(inside))).toBe(200);
    expect(await fromInside(through(outside, inside))).toBe(200);
    expect(await fromInside(through(inside, outside))).toBe(403);
    expect(await fromInside(through(inside, inside, inside, outside))).toBe(403);
    expect(await fromHere(through("127.0.0.1", outside))).toBe(403);
    for (const claim of claims(inside).slice(2))
      expect([claim, await fromInside(claim)]).toEqual([claim, 403]);
  });

  it.each([
    "",
    " ",
    ",",
    "unknown",
    "_hidden",
    "203.0.113.7:80",
    "[::1",
    "999.1.1.1",
    "::ffff:1.2.3.4.5",
    "x".repeat(200),
    "203.0.113.7/0",
    "0.0.0.0/0",
  ])("with '%s' matches no allowed address, and causes no failure", async (address) => {
    const server = await behind(true);
    const fromInside = await keyFrom(server, inside);
    expect(await fromInside({ "x-forwarded-for": `${inside}, ${address}` })).toBeOneOf([200, 403]);
    if (address.trim() !== "") expect(await fromInside({ "x-forwarded-for": address })).toBe(403);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe.each([false, true])("E6: with trustProxy %s", (trustProxy) => {
  it("no header gives a request another host, method or path", async () => {
    const server = await behind(trustProxy);
    const { apiKeyId } = await server.createKey(await server.createTeam());
    const port = Number(new URL(server.url).port);
    const ask = (host: string, headers: string, line = "GET /healthz") =>
      exchange(port, `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`);
    expect(await ask("evil.example", "X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n")).toMatch(
      /^HTTP\/1.1 403 /,
    );
    const plain = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\nDate: .*/g, "");
    const bare = plain(await ask("localhost", ""));
    for (const headers of [
      "X-Forwarded-Host: evil.example\r\n",
      "X-Forwarded-Proto: https\r\n",
      "X-Forwarded-Proto: javascript\r\nX-Forwarded-Port: 99999\r\nX-Forwarded-Prefix: /evil\r\n",
      "X-Original-URL: /v1/models\r\nX-Rewrite-URL: /v1/models\r\n",
      "X-HTTP-Method-Override: DELETE\r\nX-Method-Override: DELETE\r\n",
    ])
      expect(plain(await ask("localhost", headers))).toBe(bare);
    const authorised = `Authorization: Bearer ${await server.createManagementKey({})}\r\nX-HTTP-Method-Override: DELETE\r\n`;
    await ask("localhost", authorised, `GET /auth/api-keys/${apiKeyId}/propagation`);
    expect(await server.stores.keys.find(apiKeyId)).not.toBeNull();
  });

  it("metrics are not returned for a claim to be on this machine", async () => {
    const server = await behind(trustProxy);
    for (const claim of claims("127.0.0.1")) {
      const response = await fetch(`${server.url}/metrics`, { headers: claim });
      await response.text();
      expect(response.status).toBe(trustProxy ? 401 : 200);
    }
  });

  it("headers of the largest size that are slow to parse are answered, and larger ones are rejected", async () => {
    const server = await behind(trustProxy);
    const port = Number(new URL(server.url).port);
    const names = [
      "X-Forwarded-For",
      "X-Forwarded-Host",
      "X-Forwarded-Proto",
      "Authorization",
      "X-Api-Key",
      "Content-Type",
      "Accept",
      "Accept-Encoding",
      "If-None-Match",
      "X-Request-Id",
      "Cookie",
      "Range",
      "Forwarded",
    ];
    const units = [" ", "\t", ",", " ,", ", ", ";", "a,", '"', "\\", "=", "Bearer ", "\u00e9"];
    const send = (name: string, value: string) =>
      exchange(
        port,
        Buffer.from(
          `GET /v1/models HTTP/1.1\r\nHost: localhost\r\n${name}: x${value}x\r\nConnection: close\r\n\r\n`,
          "latin1",
        ),
      );
    for (const name of names)
      for (const unit of units) {
        const most = unit.repeat(Math.floor(31_000 / unit.length));
        expect([name, unit, (await send(name, most)).slice(9, 12)]).toEqual([name, unit, "401"]);
      }
    for (const name of names) expect(await send(name, " ,".repeat(20_000))).toMatch(/^(HTTP\/1.1 431 |$)/);
  });
});

it("E6: the installed Koa version parses headers in linear time", () => {
  const { version } = createRequire(import.meta.url)("koa/package.json") as { version: string };
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_001_002);
});
