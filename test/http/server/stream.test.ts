import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { emptyFile } from "../../kit/server/scripted.js";
import { keys } from "../../kit/server/six-keys.js";
import { gate } from "../../kit/until.js";
import { openSocket, readToEnd } from "../../kit/clients/raw.js";

const shared = fileServer({ engine: () => ["x"] });

const streamed = { ...hello, stream: true };
const many = (count: number, text: string) => Array.from({ length: count }, () => text);

function rawPost(body: object, extra = ""): string {
  const text = JSON.stringify(body);
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n${extra}\r\n${text}`;
}

/** Reads the next chunk of a stream. */
function textOf(response: Response): () => Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return async () => {
    const read = await reader?.read();
    if (read?.value === undefined) throw new Error("the stream has ended");
    return read.value;
  };
}

describe("trap 1: a failure before the first token is an HTTP error, also for a stream", () => {
  it.each([
    ["an unknown model", { ...streamed, model: "gpt-x" }, 404],
    ["an unusable model", { ...streamed, model: emptyFile.manifest.id }, 503],
    [
      "a prompt that does not fit",
      { ...streamed, messages: [{ role: "user", content: "word ".repeat(300) }] },
      400,
    ],
  ])("%s", async (_case, body, status) => {
    const response = await post(shared(), body);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      status,
      "application/json; charset=utf-8",
    ]);
    expect(await response.json()).toHaveProperty("error.message");
  });

  it("a model that cannot be loaded", async () => {
    const server = await startServer({
      engine: () => ["x"],
      onLoad: () => Promise.reject(new Error("cannot map /srv/models/x")),
    });
    const response = await post(server, streamed);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("/srv");
    expect(server.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("a full queue, with retry-after", async () => {
    const server = await startServer({
      engine: () => [gate().opened],
      slots: 1,
      config: { queueDepthMax: 0 },
    });
    const running = server.nextRun();
    const holding = post(server, streamed);
    await running;
    await holding;
    const refused = await post(server, streamed);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("trap 2: a client that disconnects in mid-stream", () => {
  it("is charged for what was produced, and its slot is freed", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened], slots: 1 });
    const controller = new AbortController();
    const running = server.nextRun();
    const response = await post(server, streamed, { signal: controller.signal });
    const reader = textOf(response);
    let text = "";
    while (!text.includes("Good")) text += await reader();
    controller.abort();
    await (
      await running
    ).finished;
    expect(server.scheduler.load).toEqual({ running: 0, waiting: 0 });
    expect(await server.records()).toMatchObject([{ state: "aborted", usage: { completionTokens: 1 } }]);
  });
});

describe("trap 3: a client that disconnects before the first frame", () => {
  it.each([
    ["streamed", true],
    ["whole", false],
  ])("leaves the queue without affecting other requests (%s)", async (_form, stream) => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."], slots: 1 });
    const first = server.nextRun();
    const neighbour = post(server, hello);
    await first;
    const controller = new AbortController();
    const second = server.nextRun();
    const queued = post(server, { ...hello, stream }, { signal: controller.signal }).catch(
      (error: unknown) => error,
    );
    const run = await second;
    controller.abort();
    await run.finished;
    expect(server.scheduler.load).toEqual({ running: 1, waiting: 0 });
    expect(await queued).toBeInstanceOf(DOMException);
    wait.open();
    expect(await (await neighbour).text()).toContain("Good day.");
    expect(await server.records()).toHaveLength(1);
  });

  it("stops waiting for the load of a model, and the next request gets the model", async () => {
    const loading = gate();
    const server = await startServer({ engine: () => ["Good"], onLoad: () => loading.opened });
    const controller = new AbortController();
    const first = server.nextRun();
    const left = post(server, streamed, { signal: controller.signal }).catch((error: unknown) => error);
    const run = await first;
    controller.abort();
    await run.finished;
    await left;
    loading.open();
    expect((await post(server, hello)).status).toBe(200);
    expect(server.engine.loaded).toEqual(["ember-1m"]);
  });

  it("aborts a JSON answer in progress, too", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened] });
    const controller = new AbortController();
    const first = server.nextRun();
    const left = post(server, hello, { signal: controller.signal }).catch((error: unknown) => error);
    const run = await first;
    controller.abort();
    await left;
    await run.finished;
    expect(server.scheduler.load.running).toBe(0);
  });

  it("is noticed when its request is pipelined behind another one", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened] });
    const socket = await openSocket(server.port);
    const first = server.nextRun();
    socket.write(rawPost(streamed));
    const one = await first;
    const second = server.nextRun();
    socket.write(rawPost(streamed));
    const two = await second;
    socket.destroy();
    await Promise.all([one.finished, two.finished]);
    expect(server.scheduler.load).toEqual({ running: 0, waiting: 0 });
  });
});

describe("a stream", () => {
  it("that fails half-way ends with one error frame and no [DONE], and contains no path", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const response = await post(server, streamed);
    const frames = (await response.text()).trim().split("\n\n");
    expect(frames.at(-1)).toBe(
      'data: {"error":{"message":"An internal error occurred.","type":"server_error","param":null,"code":"internal_error"}}',
    );
    expect(frames.at(-2)).toContain('"content":"Good"');
    expect(await server.records()).toMatchObject([{ state: "failed" }]);
    expect(server.logs.filter(({ level }) => level === "error")).toMatchObject([
      {
        fields: { requestId: response.headers.get("x-request-id"), err: { message: "lost /var/lib/device" } },
      },
    ]);
  });

  it("sends a comment after a while without frames", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const response = await post(server, streamed);
    const reader = textOf(response);
    let text = "";
    const readUntil = async (end: string) => {
      while (!text.includes(end)) text += await reader();
    };
    await readUntil("Good");
    server.clock.advance(14_999);
    expect(text).not.toContain(": ping");
    server.clock.advance(1);
    await readUntil(": ping\n\n");
    server.clock.advance(15_000);
    await readUntil(": ping\n\n: ping\n\n");
    wait.open();
    await readUntil("[DONE]");
    expect(text.match(/: ping/g)).toHaveLength(2);
  });

  it("F15: buffers at most one extra frame for a client that never reads, and disconnects it after a while", async () => {
    const server = await startServer({
      engine: () => many(2000, "word ".repeat(1000)),
      contextTokens: 5_000_000,
    });
    const socket = await openSocket(server.port);
    socket.pause();
    const running = server.nextRun();
    socket.write(rawPost(streamed));
    const run = await running;
    await server.clock.whenWaiting(600_000);
    server.clock.advance(600_000);
    await run.finished;
    socket.resume();
    expect(await readToEnd(socket)).not.toContain("[DONE]");
    expect(server.scheduler.load.running).toBe(0);
  });

  it("F15: of several choices is merged by choice for a client that reads slowly", async () => {
    const words = Array.from({ length: 200 }, (_, at) => ` w${at}`);
    const server = await startServer({ engine: () => words, contextTokens: 1024, slots: 2 });
    const response = await post(server, { ...streamed, n: 2 });
    const events = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
    const texts = ["", ""];
    for (const frame of events) {
      const { choices } = JSON.parse(frame.slice(6)) as {
        choices: { index: number; delta: { content?: string } }[];
      };
      for (const { index, delta } of choices) texts[index] += delta.content ?? "";
    }
    expect(texts).toEqual([words.join(""), words.join("")]);
    expect(events.length).toBeLessThan(200);
  });

  it("keeps its connection for the next request", async () => {
    const server = await startServer({ engine: () => ["Good"] });
    const socket = await openSocket(server.port);
    socket.write(rawPost(streamed) + rawPost(hello, "Connection: close\r\n"));
    const text = await readToEnd(socket);
    expect(text.indexOf("[DONE]")).toBeGreaterThan(0);
    expect(text.indexOf('"object":"chat.completion"')).toBeGreaterThan(text.indexOf("[DONE]"));
  });
});

describe("a log line", () => {
  it("contains caller, route and status, and nothing of key or prompt", async () => {
    const server = await startServer({ engine: () => ["Good"] });
    await (await post(server, hello, { headers: { ...headersOf(keys.ada), "x-request-id": "r-1" } })).text();
    expect(server.logs).toEqual([
      {
        level: "info",
        message: "request",
        fields: {
          requestId: "r-1",
          method: "POST",
          path: "/v1/chat/completions",
          status: 200,
          ms: 0,
          teamId: "team-1",
          apiKeyId: "key-of-ada",
        },
      },
    ]);
  });
});
