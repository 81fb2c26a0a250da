import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../kit/scripted/engine.js";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer } from "../../../kit/server.js";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { until } from "../../../kit/until.js";
import {
  createResponsesClient,
  readUntilText,
  startPausedServer,
  inBackground as hello,
  lastResponse,
  textOf,
  type ResponsesClient,
} from "../../../kit/clients/responses.js";

const endings = ["cancel", "delete"] as const;
const ends = (client: ResponsesClient, how: (typeof endings)[number], id: string) =>
  how === "cancel" ? client.send("POST", `/${id}/cancel`) : client.send("DELETE", `/${id}`);

describe("cancelling and deleting a background response", () => {
  it("while it runs keeps the output so far and frees its slot", async () => {
    const { client, server } = await startPausedServer({ slots: 1 });
    const frames = await client.stream(hello);
    const id = await readUntilText(frames);
    const { status, body } = await client.send("POST", `/${id}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
      usage: { output_tokens: 1 },
    });
    expect(await client.find(id)).toEqual(body);
    expect(textOf(await client.create({ input: "Bye" }))).toBe("Bye.");
    expect((await server.records()).map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it.each(endings)("that runs ends the streams of its followers: %s", async (how) => {
    const { client } = await startPausedServer();
    const frames = await client.stream(hello);
    const id = await readUntilText(frames);
    const follower = await client.follow(id);
    await readUntilText(follower);
    expect((await ends(client, how, id)).status).toBe(200);
    const events = await frames.events();
    expect(events.at(-1)?.type).toBe("response.incomplete");
    expect(readStream(events).last).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete" }],
    });
    expect(await follower.all()).toEqual(frames.seen);
    if (how === "cancel") expect(await (await client.follow(id)).all()).toEqual(frames.seen);
    else expect((await client.send("GET", `/${id}`)).status).toBe(404);
  });

  it.each(endings)(
    "that is queued takes it from the queue, and ends the streams of its followers: %s",
    async (how) => {
      const { client, server, open } = await startPausedServer({ config: { jobsActiveMax: 1 } });
      const busy = await client.create(hello);
      await client.findAs(busy.id, "in_progress");
      const frames = await client.stream(hello);
      const created = await frames.until("response.queued");
      const { id } = "response" in created ? created.response : { id: "" };
      const { status, body } = await ends(client, how, id);
      expect(status).toBe(200);
      if (how === "cancel") expect(body).toMatchObject({ id, status: "cancelled", output: [] });
      const events = await frames.events();
      expect(events.at(-1)?.type).toBe("response.incomplete");
      expect(lastResponse(events).status).toBe("cancelled");
      open();
      await client.findAs(busy.id, "completed");
      expect(await server.records()).toHaveLength(1);
      expect((await client.send("GET", `/${id}`)).status).toBe(how === "cancel" ? 200 : 404);
    },
  );

  it("while it waits for a slot removes it from the queue", async () => {
    const { client, server, open } = await startPausedServer({ slots: 1 });
    const running = client.create({ input: "Hello" });
    await until(() => server.engine.active === 1);
    const { id } = await client.create(hello);
    await until(() => server.scheduler.load.waiting === 1);
    const { body } = await client.send("POST", `/${id}/cancel`);
    expect(body).toMatchObject({ status: "cancelled", output: [] });
    expect(server.scheduler.load.waiting).toBe(0);
    open();
    await running;
    expect(await server.records()).toHaveLength(1);
  });

  it("that is parked because the server was busy prevents its resumption", async () => {
    const { client, server } = await startPausedServer({ slots: 1, config: { queueDepthMax: 0 } });
    const frames = await client.stream({ input: "Hello" });
    await frames.until("response.output_text.delta");
    const put = server.nextRun();
    const { id } = await client.create(hello);
    await (
      await put
    ).finished;
    expect((await client.send("POST", `/${id}/cancel`)).body).toMatchObject({ status: "cancelled" });
    server.clock.advance(60_000);
    expect(await client.find(id)).toMatchObject({ status: "cancelled" });
    expect(await server.records()).toHaveLength(1);
  });

  it("that has ended changes nothing", async () => {
    const { client, open } = await startPausedServer();
    const { id } = await client.create(hello);
    open();
    const done = await client.findAs(id, "completed");
    const { status, body } = await client.send("POST", `/${id}/cancel`);
    expect([status, body]).toEqual([200, done]);
  });

  it("twice, or twice at a time, has the effect of one call", async () => {
    const { client } = await startPausedServer();
    const id = await readUntilText(await client.stream(hello));
    const answers = await Promise.all([1, 2, 3].map(() => client.send("POST", `/${id}/cancel`)));
    answers.push(await client.send("POST", `/${id}/cancel`));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ status: "cancelled" });
  });
});

const turns = fc.nat({ max: 40 });
const life = fc.record({
  stream: fc.boolean(),
  acts: fc.array(fc.tuple(turns, fc.constantFrom("cancel", "delete", "follow", "leave")), { maxLength: 4 }),
});
const last = ["response.completed", "response.incomplete", "response.failed"];

describe("background responses under random operations at random times", () => {
  it("all end once, as do their streams, and free their slots", async () => {
    const server = await startServer({ engine: slowly, config: { jobsActiveMax: 2 } });
    const client = createResponsesClient(server.url);
    const live = async ({ stream, acts }: typeof life extends fc.Arbitrary<infer T> ? T : never) => {
      const own = stream ? await client.stream(hello) : null;
      const created = await own?.until("response.created");
      const id =
        created !== undefined && "response" in created
          ? created.response.id
          : (await client.create(hello)).id;
      let left = false;
      const act = async ([after, what]: (typeof acts)[number]): Promise<void> => {
        for (let at = 0; at < after; at += 1) await turn();
        if (what === "leave") {
          left = true;
          own?.leave();
        } else if (what === "follow") {
          const follower = await client.follow(id).catch(() => null);
          const seen = (await follower?.events())?.map(({ type }) => type) ?? last;
          expect(seen.filter((type) => last.includes(type)).slice(-1)).toEqual(seen.slice(-1));
        } else expect([200, 404]).toContain((await ends(client, what, id)).status);
      };
      await Promise.all(acts.map(act));
      const gone = acts.some(([, what]) => what === "delete");
      if (gone) expect((await client.send("GET", `/${id}`)).status).toBe(404);
      else await until(() => server.engine.active === 0 && server.scheduler.load.waiting === 0);
      const seen = left ? null : ((await own?.events()) ?? null);
      if (seen !== null) expect(readStream(seen).last.status).toMatch(/^(completed|cancelled)$/);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
        await Promise.all(lives.map(live));
        await until(() => server.engine.active === 0 && server.scheduler.load.waiting === 0);
      }),
      { numRuns: casesOf(40) },
    );
    expect(server.logs.filter(({ level }) => level === "error")).toEqual([]);
  });
});

/** An answer that yields to other work between any two words. */
function* slowly(): Generator<ScriptStep> {
  for (let at = 0; at < 15; at += 1) {
    yield ` ${at}`;
    yield turn();
  }
}

/** Lets all other pending work run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
