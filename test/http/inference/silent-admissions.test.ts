/** Streams whose admission waits for a file, or for a list of tools, that is elsewhere. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { startRawMcpServer } from "../../kit/doubles/mcp-server.js";
import { startServer } from "../../kit/server.js";
import { createLimitedTeam } from "../../kit/server/limited.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { eventually, until } from "../../kit/until.js";

const url = "http://files.example/a.txt";

/** Every endpoint whose requests name files, with its ping, its error in a stream, and the end of its stream. */
const endpoints = [
  [
    "/v1/chat/completions",
    { messages: [{ role: "user", content: [{ type: "file", file: { file_url: url } }] }] },
    /^: ping\n\n/,
    /^: ping\n\ndata: \{"error":\{"message":"Gone\."/,
    /"content":"cobalt".*\ndata: \[DONE\]\n\n$/s,
  ],
  [
    "/v1/messages",
    {
      max_tokens: 99,
      messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url } }] }],
    },
    /^event: ping\n/,
    /event: error\ndata: .*Gone\."/,
    /"text":"cobalt".*message_stop/s,
  ],
  [
    "/v1/responses",
    { input: [{ role: "user", content: [{ type: "input_file", file_url: url }] }] },
    /^: ping\n\n/,
    /event: error\ndata: .*Gone\.".*\ndata: \[DONE\]\n\n$/s,
    /event: response\.completed\n.*cobalt.*\ndata: \[DONE\]\n\n$/s,
  ],
] as const;

async function start() {
  let settle = (_fetched: string | HearthError): void => undefined;
  const fetched = new Promise<string | HearthError>((resolve) => (settle = resolve));
  let signal: AbortSignal | null = null;
  const server = await startServer({
    engine: (prompt) => [/cobalt/.exec(prompt)?.[0] ?? "nothing"],
    fileFetcher: {
      async fetch(_url, _param, given) {
        signal = given;
        const leaving = new Promise<never>((_, reject) =>
          given.addEventListener("abort", () => reject(new Error("left"))),
        );
        const found = await Promise.race([fetched, leaving]);
        if (typeof found !== "string") throw found;
        return Buffer.from(found);
      },
    },
  });
  const ask = (path: string, fields: object, init: RequestInit = {}) =>
    fetch(server.url + path, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", stream: true, ...fields }),
      ...init,
    });
  return { server, ask, settle, readSignal: () => signal };
}

const gone = new HearthError("invalid_value", "Gone.", { param: "the.file" });

it.each(endpoints)(
  "%s sends headers and a ping after 15 s, then the answer",
  async (path, fields, ping, _failure, whole) => {
    const { server, ask, settle } = await start();
    const asked = ask(path, fields);
    await server.clock.whenWaiting(15_000);
    server.clock.advance(15_000);
    const response = await asked;
    expect(response.status).toBe(200);
    settle("cobalt");
    const text = await response.text();
    expect(text).toMatch(ping);
    expect(text).toMatch(whole);
    expect(await server.records()).toMatchObject([{ state: "completed" }]);
  },
);

it.each(endpoints)(
  "%s sends an error of a later moment as an event, and runs nothing",
  async (path, fields, ping, failure) => {
    const { server, ask, settle } = await start();
    const asked = ask(path, fields);
    await server.clock.whenWaiting(15_000);
    server.clock.advance(15_000);
    const response = await asked;
    settle(gone);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toMatch(ping);
    expect(text).toMatch(failure);
    expect(await server.records()).toEqual([]);
  },
);

it.each(endpoints)("%s answers an error within 15 s with its status", async (path, fields) => {
  const { server, ask, settle } = await start();
  const asked = ask(path, fields);
  await server.clock.whenWaiting(15_000);
  server.clock.advance(14_999);
  settle(gone);
  const response = await asked;
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("Gone.");
  expect(server.clock.isWaiting(15_000)).toBe(false);
});

it.each(endpoints)("%s stops its admission when the client leaves after the ping", async (path, fields) => {
  const { server, ask, readSignal } = await start();
  const leaving = new AbortController();
  const asked = ask(path, fields, { signal: leaving.signal });
  await server.clock.whenWaiting(15_000);
  server.clock.advance(15_000);
  const response = await asked;
  leaving.abort();
  await expect(response.text()).rejects.toThrow();
  await eventually(() => expect(readSignal()?.aborted).toBe(true));
  expect(await server.records()).toEqual([]);
});

it("a stream that began with a ping has its other headers as trailers", async () => {
  const { server, settle } = await start();
  const [[path, fields]] = endpoints;
  const asked = request(server.url + path, { method: "POST", headers: headersOf(keys.ada) });
  asked.end(JSON.stringify({ model: "ember-1m", stream: true, typical_p: 0.5, ...fields }));
  await server.clock.whenWaiting(15_000);
  server.clock.advance(15_000);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  expect(response.headers["x-hearth-warning"]).toBeUndefined();
  expect(response.headers.trailer).toContain("x-hearth-warning");
  settle("cobalt");
  response.resume();
  await once(response, "end");
  expect(response.trailers).toMatchObject({
    "x-hearth-model": "ember-1m",
    "x-hearth-warning": expect.stringContaining("typical_p") as string,
    "x-hearth-cost-ticks": expect.any(String) as string,
  });
});

it("an answer that is not streamed sends nothing before it is admitted", async () => {
  const { server, ask, settle } = await start();
  const [[path, fields]] = endpoints;
  const asked = ask(path, { ...fields, stream: false });
  const first = await Promise.race([
    asked,
    server.clock.whenWaiting(15_000).then(() => "a ping is planned"),
    new Promise((resolve) => setImmediate(resolve, "nothing")),
  ]);
  expect(first).toBe("nothing");
  settle(gone);
  expect((await asked).status).toBe(400);
});

it("gives back the tokens that are reserved for a request whose list of tools fails after the ping", async () => {
  let fail = (): void => undefined;
  const mcp = await startRawMcpServer((_method, response) => {
    fail = () => response.destroy();
    return undefined;
  });
  const server = await createLimitedTeam(
    await startServer({
      accounts: "managed",
      engine: () => ["Yes."],
      environment: { HEARTH_MCP_HOSTS: mcp.host },
    }),
  );
  const { apiKey } = await server.newKey({ tpm: 10_000 });
  const [model, content] = ["hearth-tiny-5m", "word ".repeat(1_000)];
  const remaining = async (): Promise<number> => {
    const plain = { model, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] };
    const { headers } = await server.post("/v1/chat/completions", plain, apiKey);
    return Number(headers.get("x-ratelimit-remaining-tokens"));
  };
  const before = await remaining();
  for (const [path, body, failure] of [
    [
      "/v1/responses",
      { input: content, tools: [{ type: "mcp", server_label: "math", server_url: mcp.url }] },
      /^: ping\n\nevent: error\n/,
    ],
    [
      "/v1/messages",
      {
        max_tokens: 9,
        messages: [{ role: "user", content }],
        mcp_servers: [{ type: "url", name: "math", url: mcp.url }],
      },
      /^event: ping\n.*\n\nevent: error\n/,
    ],
  ] as const) {
    const lists = mcp.methods.length;
    const asked = server.post(path, { model, stream: true, ...body }, apiKey);
    await until(() => mcp.methods.slice(lists).includes("tools/list"));
    server.clock.advance(15_000);
    const response = await asked;
    expect(response.status).toBe(200);
    fail();
    expect(await response.text()).toMatch(failure);
  }
  expect(before - (await remaining())).toBeLessThan(100);
});
