/** E24: a connection whose request was refused before its body was read serves the next request, or ends. */
import { Agent, request as httpRequest, type RequestOptions } from "node:http";
import type { Socket } from "node:net";
import OpenAI from "openai";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fileServer, startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { someOf } from "../../../kit/setup/random-cases.js";
import { until } from "../../../kit/until.js";
import { openSocket, readToEnd } from "../../../kit/clients/raw.js";
import { createTestTeam, credentialOf, routeName, routes, type TestTeam } from "../../threats/world.js";

const common = fileServer({ engine: () => [] });

const bodyBytesMax = 65_536;
const shared = fileServer({
  accounts: "managed",
  environment: { HEARTH_BODY_BYTES_MAX: String(bodyBytesMax) },
});
let side: TestTeam;
beforeAll(async () => {
  side = await createTestTeam(shared(), "ours");
});

const port = (): number => Number(new URL(shared().url).port);
const json = "Content-Type: application/json\r\n";
const next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

interface Upload {
  readonly head: string;
  readonly body: Buffer;
}

function request(method: string, path: string, headers: string, body = Buffer.alloc(60_000, " ")): Upload {
  return { head: `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}`, body };
}

/** Resolves with the next answer; with what has arrived of it when the connection closes. */
function answer(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const finish = (): void => {
      socket.off("data", add).off("close", finish);
      resolve(text);
    };
    const add = (chunk: Buffer): void => {
      text += chunk.toString();
      const [head = "", body] = text.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && Buffer.byteLength(body) >= length) finish();
    };
    socket.on("data", add).on("close", finish);
  });
}

/**
 * Sends half of a body, reads the answer, and sends the rest and another request. @returns the answer, and that to the other request;
 * null: the first said that the connection closes, and it did.
 */
async function sendBoth({ head, body }: Upload, how: "length" | "chunks"): Promise<[string, string | null]> {
  const socket = await openSocket(port());
  const [first, second] = [body.subarray(0, body.length / 2), body.subarray(body.length / 2)];
  const framed = (part: Buffer): Buffer =>
    how === "length"
      ? part
      : Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
  const framing = how === "length" ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
  socket.write(Buffer.concat([Buffer.from(`${head}${framing}\r\n\r\n`), framed(first)]));
  const refused = await answer(socket);
  if (/^connection: close/im.test(refused)) {
    await readToEnd(socket);
    return [refused, null];
  }
  socket.write(
    Buffer.concat([framed(second), Buffer.from(how === "length" ? "" : "0\r\n\r\n"), Buffer.from(next)]),
  );
  return [refused, await answer(socket)];
}

describe.each(routes.map((route, index) => [routeName(route), route, index] as const))(
  "E24: %s",
  (_, route, index) => {
    const path = route.path.replace(/[:*]\w+/g, "x");
    const authorization = (): string => `Authorization: Bearer ${credentialOf(route, side) ?? "none"}\r\n`;
    const refusals: readonly (readonly [string, () => Upload])[] = [
      ["without a key", () => request(route.method, path, json)],
      ["with a wrong key", () => request(route.method, path, `${json}Authorization: Bearer hk-wrong\r\n`)],
      [
        "from a page of elsewhere",
        () => request(route.method, path, `${json}Cookie: a=b\r\nOrigin: https://a.example\r\n`),
      ],
      ["with another method", () => request("PATCH", path, json + authorization())],
      ["at another path", () => request(route.method, `/none/such${path}`, json + authorization())],
      [
        "of another media type",
        () => request(route.method, path, `Content-Type: text/plain\r\n${authorization()}`),
      ],
      [
        "in a form",
        () =>
          request(route.method, path, `Content-Type: multipart/form-data; boundary=x\r\n${authorization()}`),
      ],
      [
        "compressed",
        () => request(route.method, path, `${json}Content-Encoding: gzip\r\n${authorization()}`),
      ],
      [
        "that is too large",
        () => request(route.method, path, json + authorization(), Buffer.alloc(bodyBytesMax * 4, " ")),
      ],
      [
        "that expects something unknown",
        () => request(route.method, path, `${json}Expect: a\r\n${authorization()}`),
      ],
    ];

    it("is answered where it is refused, and so is the next request on its connection, or the connection ends", async () => {
      // A form is refused when it has ended.
      const isRefused = ([refusal]: (typeof refusals)[number]): boolean =>
        refusal !== "in a form" || route.takesBody !== "form";
      const all = refusals
        .filter(isRefused)
        .flatMap(([refusal, upload]) =>
          (["length", "chunks"] as const).map((how) => ({ refusal, upload, how })),
        );
      // Every refusal has two framings. A route tries one in eight of these pairs; the next routes try the others.
      for (const { refusal, upload, how } of someOf(all, index)) {
        const [first, second] = await sendBoth(upload(), how);
        expect(first, refusal).toMatch(/^HTTP\/1.1 [2345]\d\d /);
        if (second !== null) expect(second, refusal).toMatch(/^HTTP\/1.1 200 /);
      }
    });

    it("refused while its client waits to be asked for the body is told that the connection closes", async () => {
      const socket = await openSocket(port());
      socket.write(
        `${request(route.method, `/none/such${path}`, json).head}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
      );
      expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 4\d\d .*^connection: close\r$/ims);
    });
  },
);

describe("E24: a form that is refused in its middle", () => {
  const part = (headers: string, content: string): string =>
    `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
  const file = part('name="file"; filename="a.txt"', "a".repeat(20_000));

  it.each([
    ["for the name of its file's field", part('name="other"; filename="a.txt"', "a".repeat(60_000))],
    ["for the name of its file", part(`name="file"; filename="${"a".repeat(300)}"`, "a".repeat(60_000))],
    ["for a second file", file.repeat(8)],
    ["for a long field", part('name="purpose"', "a".repeat(5_000)) + file.repeat(2)],
    ["for its fields", part('name="a"', "a".repeat(100)).repeat(30) + file.repeat(2)],
  ])("%s keeps its connection", async (_, form) => {
    const headers = `Authorization: Bearer ${side.apiKey}\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
    const [first, second] = await sendBoth(
      request("POST", "/v1/files", headers, Buffer.from(`${form}--x--\r\n`)),
      "length",
    );
    expect(first).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(second).toMatch(/^HTTP\/1.1 200 /);
  });
});

it("E24: the rest of a refused body that never comes, or never ends, ends its connection", async () => {
  // The test moves the clock.
  const server = await startServer({ engine: () => [] });
  const silent = await openSocket(server.port);
  silent.write(`POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n`);
  expect(await answer(silent)).toMatch(/^HTTP\/1.1 401 /);
  const ended = readToEnd(silent);
  await server.clock.whenWaiting(10_000);
  server.clock.advance(10_000);
  await ended;
  const endless = await openSocket(server.port);
  endless.write(`POST /v1/files HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const refused = readToEnd(endless);
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
  await until(() => (endless.write(chunk), endless.destroyed || endless.writableEnded));
  expect(await refused).toMatch(/^HTTP\/1.1 401 .*connection: close/is);
});

/** Sends a request over one connection that the agent keeps. @returns its status */
function statusOver(
  agent: Agent,
  url: string,
  options: RequestOptions,
  body = Buffer.alloc(0),
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { ...options, agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

describe("E24: a client that keeps its connection makes its next request at once after an upload was refused:", () => {
  const sizes = [0.05, 1, 40].map((megabytes) => megabytes * 1_000_000);
  const credentials = ["hk-wrong", keys.bob, keys.ada];

  it("an agent with one connection", async () => {
    const server = common();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (const size of sizes)
      for (const apiKey of credentials) {
        const headers = {
          authorization: `Bearer ${apiKey}`,
          "content-type": "multipart/form-data; boundary=x",
        };
        const wrong = 'Content-Disposition: form-data; name="wrong"; filename="a"';
        const form = Buffer.concat([
          Buffer.from(`--x\r\n${wrong}\r\n\r\n`),
          Buffer.alloc(size),
          Buffer.from("\r\n--x--\r\n"),
        ]);
        const upload = { method: "POST", headers: { ...headers, "content-length": form.length } };
        expect(await statusOver(agent, `${server.url}/v1/files`, upload, form)).toBeGreaterThanOrEqual(400);
        expect(await statusOver(agent, `${server.url}/healthz`, {})).toBe(200);
      }
  });

  it("the official library", async () => {
    const server = common();
    const clientOf = (apiKey: string): OpenAI =>
      new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
    for (const size of sizes)
      for (const apiKey of credentials) {
        const file = new File([new Uint8Array(size)], "a.bin");
        const refused = clientOf(apiKey).files.create({ file, purpose: "no such purpose" as "batch" });
        await expect(refused).rejects.toMatchObject({ status: expect.any(Number) as number });
        expect((await clientOf(keys.ada).models.list()).data.length).toBeGreaterThan(0);
      }
  });
});
