import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../../src/http/server/route.js";
import { expectEvery } from "../../kit/every.js";
import { fileServer } from "../../kit/server.js";
import { exchange } from "../../kit/clients/raw.js";
import {
  createCheapEngines,
  credentialOf,
  keyRoutes,
  createObject,
  routeName,
  createTestTeam,
  pathWith,
  routes,
  takesBody,
  type TestTeam,
} from "./world.js";

const bodyBytesMax = 65_536;
const shared = fileServer({
  ...createCheapEngines(),
  accounts: "managed",
  environment: { HEARTH_BODY_BYTES_MAX: String(bodyBytesMax) },
});
let side: TestTeam;
beforeAll(async () => {
  side = await createTestTeam(shared(), "ours");
});

const plainPath = (path: string): string => path.replace(/[:*]\w+/g, "x");
const port = (): number => Number(new URL(shared().url).port);
const credential = (route: Route) => `Bearer ${credentialOf(route, side) ?? ""}`;

it("E4: no route answers to the name of another host", () =>
  expectEvery(routes, routeName, async (route) => {
    for (const host of ["evil.example", "evil@localhost", "localhost.evil.example:4280"]) {
      const text = await exchange(
        port(),
        `${route.method} ${plainPath(route.path)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${credential(route)}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1.1 403 /);
    }
  }));

describe("E5: a web page of another origin", () => {
  const origin = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };

  it("gets no answer of any route, not even of a preflight", () =>
    expectEvery(routes, routeName, async (route) => {
      const url = shared().url + plainPath(route.path);
      const sent = [
        { method: "OPTIONS", headers: { ...origin, "access-control-request-method": route.method } },
        {
          method: "OPTIONS",
          headers: {
            ...origin,
            "access-control-request-headers": "authorization",
            "access-control-request-private-network": "true",
          },
        },
        { method: route.method, headers: origin },
      ];
      for (const init of sent) {
        const response = await fetch(url, init);
        await response.text();
        const received = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
        expect([init.method, received]).toEqual([init.method, []]);
      }
    }));

  it("has no body read that a form could send with the cookies of this origin", () =>
    expectEvery(keyRoutes.filter(takesBody), routeName, async (route) => {
      const url = shared().url + (await pathWith(route, (param) => createObject(shared(), side, param)));
      const body = JSON.stringify(route.docs.example ?? {});
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
      ]) {
        const headers = {
          ...origin,
          authorization: credential(route),
          "content-type": type,
          // A form that is JSON is read for a program with a bearer key, and a browser adds no such header to a form.
          ...(route.guard === "management-key" || route.formsAreJson === true ? { cookie: "a=b" } : {}),
        };
        const response = await fetch(url, { method: route.method, headers, body });
        await response.text();
        expect([type, response.status]).toEqual([type, 415]);
      }
    }));
});

const hasFields = ({ docs }: Route): boolean => Object.keys(docs.example ?? {}).length > 0;

it("an object in the place of an array or a text, with a length that is no number, is the client's error, which names the field", () =>
  expectEvery(keyRoutes.filter(takesBody).filter(hasFields), routeName, async (route) => {
    const url = shared().url + (await pathWith(route, (param) => createObject(shared(), side, param)));
    const headers = { authorization: credential(route), "content-type": "application/json" };
    const example = (route.docs.example ?? {}) as Readonly<Record<string, unknown>>;
    for (const field of Object.keys(example)) {
      const strange = { length: { toString: 0 } };
      const body = JSON.stringify({ "": strange, ...example, length: null, [field]: strange });
      const response = await fetch(url, { method: route.method, headers, body });
      const text = await response.text();
      expect([field, response.status < 500]).toEqual([field, true]);
      // A message begins with the path of the wrong field, which is not the unknown one.
      expect(text).not.toContain('":": ');
    }
  }));

describe("E7: a client that abuses the protocol", () => {
  const request = (head: string) => exchange(port(), head);

  it.each([
    [
      "two lengths of one body",
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    ],
    [
      "a length and chunks",
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a folded header", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n"],
    ["a space before the colon", "GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"],
    ["a bare line feed in a header", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b\nX-C: d\r\n\r\n"],
  ])("with %s is rejected, and the next client is served", async (_, head) => {
    expect(await request(head)).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    expect((await fetch(`${shared().url}/healthz`)).status).toBe(200);
  });

  it("with fifty pipelined requests on one connection gets fifty answers, in order", async () => {
    const get = (id: number) => `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\n`;
    const all = Array.from(
      { length: 50 },
      (_, at) => `${get(at)}${at === 49 ? "Connection: close\r\n" : ""}\r\n`,
    );
    const text = await request(all.join(""));
    const ids = [...text.matchAll(/^x-request-id: (\d+)\r$/gim)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(text.match(/HTTP\/1.1 401 /g)).toHaveLength(50);
  });

  it("with 10,000 headers is answered or rejected", async () => {
    const head = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${"x: y\r\n".repeat(10_000)}\r\n`;
    expect(await request(head)).toMatch(/^HTTP\/1.1 (200|431) /);
  });

  it("in HTTP/1.0 is answered, and its connection closed", async () => {
    expect(await request("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });
});

/** A few kilobytes that are 50 megabytes when they are decompressed. */
const bomb = new Uint8Array(gzipSync(Buffer.alloc(50_000_000, 0x20)));

const exampleOf = (route: Route): string => JSON.stringify(route.docs.example ?? {});
const nested = (levels: number) => `{"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;

/** Returns a function that sends bodies to a route, with its credential, for one object. */
async function openSender(route: Route) {
  const path = await pathWith(route, (param) => createObject(shared(), side, param));
  return async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const response = await fetch(shared().url + path, {
      method: route.method,
      headers: { "content-type": "application/json", authorization: credential(route), ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
}

describe("E8: a body for any route", () => {
  const bodyRoutes = keyRoutes.filter(takesBody);

  it.each<[string, string | Uint8Array<ArrayBuffer> | null, readonly number[]]>([
    ["that is cut off", null, [400]],
    ["with NaN", '{"a":NaN}', [400]],
    ["that is no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), [400]],
    ["nested 30,000 levels deep", nested(30_000), [400]],
    ["nested as deep as is read", nested(126), [200, 400, 403, 422]],
    ["that is a list", "[]", [400, 422]],
    ["that is null", "null", [400, 422]],
    [
      "of half a surrogate pair in each name and text",
      '{"\\ud800":"\\ud800","name":"\\ud800","model":"\\ud800"}',
      [200, 400, 403, 404, 422],
    ],
    [
      "of numbers that no number holds",
      '{"tpm":1e400,"max_tokens":1e400,"name":1e999}',
      [200, 400, 403, 404, 422],
    ],
    ["larger than allowed", `{"x":"${"x".repeat(bodyBytesMax)}"}`, [413]],
  ])("%s is reported with its cause", (_case, body, statuses) =>
    expectEvery(bodyRoutes, routeName, async (route) => {
      const send = await openSender(route);
      const { status, text } = await send(body ?? exampleOf(route).slice(0, -1));
      expect(statuses, text).toContain(status);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    }),
  );

  it("that names prototypes changes none, in any field", () =>
    expectEvery(bodyRoutes, routeName, async (route) => {
      const send = await openSender(route);
      const names = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];
      const bodies = names.flatMap((name) => {
        const part = `${JSON.stringify(name)}:{"polluted":true,"prototype":{"polluted":true}}`;
        return [
          `{${part},${exampleOf(route).slice(1)}`.replace(",}", "}"),
          `{"apiKey":{${part}},"team":{${part}},"member":{${part}},"metadata":{${part}},"fieldMask":${JSON.stringify(name)}}`,
        ];
      });
      for (const { status } of await Promise.all(bodies.map((body) => send(body))))
        expect(status).toBeLessThan(500);
      expect("polluted" in {}).toBe(false);
    }));

  it("in gzip is not decompressed, however small it is", () =>
    expectEvery(bodyRoutes, routeName, async (route) => {
      const send = await openSender(route);
      const { status, text } = await send(bomb, { "content-encoding": "gzip" });
      expect([status, text]).toEqual([415, expect.stringContaining("Compressed")]);
    }));

  it("E9: with an endless multipart boundary is rejected unread", () =>
    expectEvery(bodyRoutes, routeName, async (route) => {
      const send = await openSender(route);
      const boundary = "-".repeat(16_000);
      for (const type of [
        `multipart/form-data; boundary=${boundary}`,
        `multipart/mixed; boundary="${boundary}`,
        "multipart/form-data",
      ]) {
        const { status } = await send(`--${boundary}\r\n`.repeat(60), { "content-type": type });
        expect(status).toBe(415);
      }
    }));
});

it("E9: a boundary of a megabyte exceeds the header limit", async () => {
  const boundary = "-".repeat(1_000_000);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 4\r\n\r\nbody`;
  expect(await exchange(port(), head)).toMatch(/^(HTTP\/1.1 431 |$)/);
  expect((await fetch(`${shared().url}/healthz`)).status).toBe(200);
});
