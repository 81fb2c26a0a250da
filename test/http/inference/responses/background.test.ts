import { describe, expect, it } from "vitest";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { openSocket } from "../../../kit/clients/raw.js";
import {
  createResponsesClient,
  readUntilText,
  eventOf,
  startPausedServer,
  inBackground as hello,
  textOf,
} from "../../../kit/clients/responses.js";

const queued = { status: "queued", background: true, output: [], usage: null } as const;

describe("a background response", () => {
  it("is queued at once, then in progress, then completed, as polling sees it", async () => {
    const { client, open } = await startPausedServer();
    const answer = await client.create({ ...hello, metadata: { order: "17" } });
    expect(answer).toMatchObject({ ...queued, metadata: { order: "17" } });
    const running = await client.findAs(answer.id, "in_progress");
    expect(running).toEqual({ ...answer, status: "in_progress" });
    open();
    const done = await client.findAs(answer.id, "completed");
    expect(done).toMatchObject({
      ...running,
      status: "completed",
      output: [{}],
      usage: {},
      completed_at: expect.any(Number) as number,
    });
    expect(textOf(done)).toBe("Good day.");
  });

  it("continues a previous response, and can be continued", async () => {
    const server = await startServer({ engine: (prompt) => [prompt.replaceAll("\n", " / ")] });
    const client = createResponsesClient(server.url);
    const first = await client.create({ ...hello, input: "One", instructions: "Count." });
    await client.findAs(first.id, "completed");
    const second = await client.create({ ...hello, input: "Two", previous_response_id: first.id });
    const done = await client.findAs(second.id, "completed");
    expect(textOf(done)).toBe(
      "user: One / assistant: system: Count. / user: One / assistant: / user: Two / assistant:",
    );
  });

  it("fails with the error that a direct request would get", async () => {
    const { client } = await startPausedServer({ contextTokens: 4 });
    const answer = await client.create({ ...hello, input: "far too long for the model" });
    const failed = await client.findAs(answer.id, "failed");
    expect(failed.error).toMatchObject({
      code: "context_length_exceeded",
      message: expect.stringMatching(/3.*\d+ tokens/) as string,
    });
    const streamed = await (await client.stream({ ...hello, input: "far too long for the model" })).events();
    expect(streamed.map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.failed",
    ]);
    expect(streamed.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2]);
  });

  it("fails when the previous response is deleted while it waits", async () => {
    const { client, open } = await startPausedServer({ config: { jobsActiveMax: 1 } });
    const first = await client.create({ input: "Bye" });
    const busy = await client.create(hello);
    const next = await client.create({ ...hello, previous_response_id: first.id });
    await client.send("DELETE", `/${first.id}`);
    open();
    await client.findAs(busy.id, "completed");
    expect((await client.findAs(next.id, "failed")).error).toMatchObject({
      code: "previous_response_not_found",
    });
  });

  it("runs after all interactive requests", async () => {
    const order: string[] = [];
    const wait = gate();
    const server = await startServer({
      engine: (prompt) => {
        order.push(/user: (\w+)/.exec(prompt)?.[1] ?? "");
        return [prompt.includes("First") ? wait.opened : "", "Done."];
      },
      slots: 1,
    });
    const client = createResponsesClient(server.url);
    const first = client.create({ input: "First" });
    await until(() => order.length === 1);
    const background = await client.create({ ...hello, input: "Background" });
    await until(() => server.scheduler.load.waiting === 1);
    const second = client.create({ input: "Second" });
    await until(() => server.scheduler.load.waiting === 2);
    wait.open();
    await Promise.all([first, second, client.findAs(background.id, "completed")]);
    expect(order).toEqual(["First", "Second", "Background"]);
  });

  it("is rejected at once and not stored when the queue is full, even under concurrent requests", async () => {
    const { client, server, open } = await startPausedServer({
      config: { jobsQueuedMax: 3, jobsActiveMax: 1 },
    });
    const body = { model: "ember-1m", ...hello };
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.send("POST", "", body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(Array(9).fill("30"));
    expect((await client.send("POST", "", { ...body, stream: true })).status).toBe(503);
    open();
    const taken = answers.filter(({ status }) => status === 200);
    for (const { body: answer } of taken) await client.findAs((answer as { id: string }).id, "completed");
    expect(await server.records()).toHaveLength(3);
    await expect(client.create(hello)).resolves.toMatchObject({ status: "queued" });
  });
});

describe("the stream of a background response", () => {
  it("can be followed live and from any event on, while it runs and afterwards", async () => {
    const { client, open } = await startPausedServer();
    const first = await client.stream(hello);
    const id = await readUntilText(first);
    const seen = first.seen.length;
    const second = await client.follow(id);
    await readUntilText(second);
    const late = await client.follow(id, seen - 1);
    open();
    const frames = await first.all();
    const events = frames.slice(0, -1).map(eventOf);
    const { last } = readStream(events);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
    ]);
    expect(last).toMatchObject({ status: "completed", background: true });
    expect(textOf(last)).toBe("Good day.");
    expect(await second.all()).toEqual(frames);
    expect(await late.all()).toEqual(frames.slice(seen));
    expect(await client.find(id)).toEqual(last);
    for (const after of [0, 4, events.length - 2, events.length - 1])
      expect(await (await client.follow(id, after)).all()).toEqual(frames.slice(after + 1));
    expect(await (await client.follow(id)).all()).toEqual(frames);
  });

  it("sends its last event only after the response is stored", async () => {
    const { client, open } = await startPausedServer();
    const frames = await client.stream(hello);
    const id = await readUntilText(frames);
    open();
    await frames.until("response.completed");
    expect((await client.find(id)).status).toBe("completed");
  });

  it("F5: can be closed without ending the work", async () => {
    const { client, server, open } = await startPausedServer();
    const frames = await client.stream(hello);
    const id = await readUntilText(frames);
    frames.leave();
    const queuedOnly = await client.follow(id, 0);
    queuedOnly.leave();
    open();
    expect(textOf(await client.findAs(id, "completed"))).toBe("Good day.");
    expect(await server.records()).toMatchObject([{ state: "completed" }]);
  });

  it("F15: does not delay the work when a follower never reads it", async () => {
    const lines = Array.from({ length: 64 }, () => "x".repeat(256 * 1024));
    const wait = gate();
    const server = await startServer({ engine: () => [wait.opened, ...lines] });
    const client = createResponsesClient(server.url);
    const frames = await client.stream(hello);
    const created = await frames.until("response.created");
    const { id } = "response" in created ? created.response : { id: "" };
    const idle = await openSocket(server.port);
    idle.pause();
    idle.write(
      `GET /v1/responses/${id}?stream=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\n\r\n`,
    );
    wait.open();
    expect(textOf(await client.findAs(id, "completed"))).toHaveLength(64 * 256 * 1024);
    expect(server.engine.active).toBe(0);
  });

  it("can be read only after the end if the response was not created with stream: true", async () => {
    const { client, open } = await startPausedServer();
    const { id } = await client.create(hello);
    await client.findAs(id, "in_progress");
    const refused = await client.send("GET", `/${id}?stream=true`);
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: "stream" } }]);
    open();
    const done = await client.findAs(id, "completed");
    const events = await (await client.follow(id)).events();
    expect(readStream(events).last).toEqual(done);
  });
});
