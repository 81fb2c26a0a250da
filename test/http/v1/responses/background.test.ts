import { describe, expect, it } from "vitest";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { until } from "../../../harness.js";
import { compose, gate, keys } from "../../compose.js";
import { open } from "../../raw.js";
import { askerOf, begun, eventOf, halfway, inBackground as hello, textOf } from "./responses.js";

const queued = { status: "queued", background: true, output: [], usage: null } as const;

describe("a background response", () => {
  it("is queued at once, then in progress, then completed, as polling sees it", async () => {
    const { ask, open } = await halfway();
    const answer = await ask.create({ ...hello, metadata: { order: "17" } });
    expect(answer).toMatchObject({ ...queued, metadata: { order: "17" } });
    const running = await ask.findAs(answer.id, "in_progress");
    expect(running).toEqual({ ...answer, status: "in_progress" });
    open();
    const done = await ask.findAs(answer.id, "completed");
    expect(done).toMatchObject({
      ...running,
      status: "completed",
      output: [{}],
      usage: {},
      completed_at: expect.any(Number) as number,
    });
    expect(textOf(done)).toBe("Good day.");
  });

  it("is answered from what it goes on from, and can be gone on from", async () => {
    const server = await compose((prompt) => [prompt.replaceAll("\n", " / ")]);
    const ask = askerOf(server.url);
    const first = await ask.create({ ...hello, input: "One", instructions: "Count." });
    await ask.findAs(first.id, "completed");
    const second = await ask.create({ ...hello, input: "Two", previous_response_id: first.id });
    const done = await ask.findAs(second.id, "completed");
    expect(textOf(done)).toBe(
      "user: One / assistant: system: Count. / user: One / assistant: / user: Two / assistant:",
    );
  });

  it("that cannot be made is failed, with the error that its client would have got", async () => {
    const { ask } = await halfway({ contextTokens: 4 });
    const answer = await ask.create({ ...hello, input: "far too long for the model" });
    const failed = await ask.findAs(answer.id, "failed");
    expect(failed.error).toMatchObject({
      code: "context_length_exceeded",
      message: expect.stringMatching(/3.*\d+ tokens/) as string,
    });
    const streamed = await (await ask.stream({ ...hello, input: "far too long for the model" })).events();
    expect(streamed.map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.failed",
    ]);
    expect(streamed.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2]);
  });

  it("fails when the response it goes on from is deleted while it waits", async () => {
    const { ask, open } = await halfway({ jobs: { jobsActiveMax: 1 } });
    const first = await ask.create({ input: "Bye" });
    const busy = await ask.create(hello);
    const next = await ask.create({ ...hello, previous_response_id: first.id });
    await ask.send("DELETE", `/${first.id}`);
    open();
    await ask.findAs(busy.id, "completed");
    expect((await ask.findAs(next.id, "failed")).error).toMatchObject({
      code: "previous_response_not_found",
    });
  });

  it("comes after everybody who waits for an answer", async () => {
    const order: string[] = [];
    const wait = gate();
    const server = await compose(
      (prompt) => {
        order.push(/user: (\w+)/.exec(prompt)?.[1] ?? "");
        return [prompt.includes("First") ? wait.opened : "", "Done."];
      },
      { slots: 1 },
    );
    const ask = askerOf(server.url);
    const first = ask.create({ input: "First" });
    await until(() => order.length === 1);
    const background = await ask.create({ ...hello, input: "Background" });
    await until(() => server.scheduler.load.waiting === 1);
    const second = ask.create({ input: "Second" });
    await until(() => server.scheduler.load.waiting === 2);
    wait.open();
    await Promise.all([first, second, ask.findAs(background.id, "completed")]);
    expect(order).toEqual(["First", "Second", "Background"]);
  });

  it("is refused at once when the queue is full, however many come together, and is stored nowhere", async () => {
    const { ask, server, open } = await halfway({ jobs: { jobsQueuedMax: 3, jobsActiveMax: 1 } });
    const body = { model: "ember-1m", ...hello };
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask.send("POST", "", body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(Array(9).fill("30"));
    expect((await ask.send("POST", "", { ...body, stream: true })).status).toBe(503);
    open();
    const taken = answers.filter(({ status }) => status === 200);
    for (const { body: answer } of taken) await ask.findAs((answer as { id: string }).id, "completed");
    expect(server.records).toHaveLength(3);
    await expect(ask.create(hello)).resolves.toMatchObject({ status: "queued" });
  });
});

describe("the stream of a background response", () => {
  it("is followed live, and by a second reader from any event on: while it runs and when it is over", async () => {
    const { ask, open } = await halfway();
    const first = await ask.stream(hello);
    const id = await begun(first);
    const seen = first.seen.length;
    const second = await ask.follow(id);
    await begun(second);
    const late = await ask.follow(id, seen - 1);
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
    expect(await ask.find(id)).toEqual(last);
    for (const after of [0, 4, events.length - 2, events.length - 1])
      expect(await (await ask.follow(id, after)).all()).toEqual(frames.slice(after + 1));
    expect(await (await ask.follow(id)).all()).toEqual(frames);
  });

  it("tells of the end only when the response is stored with it", async () => {
    const { ask, open } = await halfway();
    const frames = await ask.stream(hello);
    const id = await begun(frames);
    open();
    await frames.until("response.completed");
    expect((await ask.find(id)).status).toBe("completed");
  });

  it("F5: can be left without ending the work", async () => {
    const { ask, server, open } = await halfway();
    const frames = await ask.stream(hello);
    const id = await begun(frames);
    frames.leave();
    const queuedOnly = await ask.follow(id, 0);
    queuedOnly.leave();
    open();
    expect(textOf(await ask.findAs(id, "completed"))).toBe("Good day.");
    expect(server.records).toMatchObject([{ state: "completed" }]);
  });

  it("F15: that a follower asks for and never reads does not hold up the work", async () => {
    const lines = Array.from({ length: 64 }, () => "x".repeat(256 * 1024));
    const wait = gate();
    const server = await compose(() => [wait.opened, ...lines]);
    const ask = askerOf(server.url);
    const frames = await ask.stream(hello);
    const created = await frames.until("response.created");
    const { id } = "response" in created ? created.response : { id: "" };
    const idle = await open(server.port);
    idle.pause();
    idle.write(
      `GET /v1/responses/${id}?stream=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\n\r\n`,
    );
    wait.open();
    expect(textOf(await ask.findAs(id, "completed"))).toHaveLength(64 * 256 * 1024);
    expect(server.engine.active).toBe(0);
  });

  it("is told when it is over of one that was not asked for as a stream, and not before", async () => {
    const { ask, open } = await halfway();
    const { id } = await ask.create(hello);
    await ask.findAs(id, "in_progress");
    const refused = await ask.send("GET", `/${id}?stream=true`);
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: "stream" } }]);
    open();
    const done = await ask.findAs(id, "completed");
    const events = await (await ask.follow(id)).events();
    expect(readStream(events).last).toEqual(done);
  });
});
