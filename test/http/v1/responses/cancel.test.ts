import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../../src/engine/scripted.js";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { until } from "../../../harness.js";
import { compose } from "../../compose.js";
import {
  askerOf,
  begun,
  halfway,
  inBackground as hello,
  lastResponse,
  textOf,
  type Asker,
} from "./responses.js";

const endings = ["cancel", "delete"] as const;
const ends = (ask: Asker, how: (typeof endings)[number], id: string) =>
  how === "cancel" ? ask.send("POST", `/${id}/cancel`) : ask.send("DELETE", `/${id}`);

describe("cancelling and deleting a background response", () => {
  it("that runs keeps what there is of it and frees its slot", async () => {
    const { ask, server } = await halfway({ slots: 1 });
    const frames = await ask.stream(hello);
    const id = await begun(frames);
    const { status, body } = await ask.send("POST", `/${id}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
      usage: { output_tokens: 1 },
    });
    expect(await ask.find(id)).toEqual(body);
    expect(textOf(await ask.create({ input: "Bye" }))).toBe("Bye.");
    expect(server.records.map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it.each(endings)("that runs ends the streams of its followers: %s", async (how) => {
    const { ask } = await halfway();
    const frames = await ask.stream(hello);
    const id = await begun(frames);
    const follower = await ask.follow(id);
    await begun(follower);
    expect((await ends(ask, how, id)).status).toBe(200);
    const events = await frames.events();
    expect(events.at(-1)?.type).toBe("response.incomplete");
    expect(readStream(events).last).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete" }],
    });
    expect(await follower.all()).toEqual(frames.seen);
    if (how === "cancel") expect(await (await ask.follow(id)).all()).toEqual(frames.seen);
    else expect((await ask.send("GET", `/${id}`)).status).toBe(404);
  });

  it.each(endings)(
    "that is queued takes it from the queue, and ends the streams of its followers: %s",
    async (how) => {
      const { ask, server, open } = await halfway({ jobs: { jobsActiveMax: 1 } });
      const busy = await ask.create(hello);
      await ask.findAs(busy.id, "in_progress");
      const frames = await ask.stream(hello);
      const created = await frames.until("response.queued");
      const { id } = "response" in created ? created.response : { id: "" };
      const { status, body } = await ends(ask, how, id);
      expect(status).toBe(200);
      if (how === "cancel") expect(body).toMatchObject({ id, status: "cancelled", output: [] });
      const events = await frames.events();
      expect(events.at(-1)?.type).toBe("response.incomplete");
      expect(lastResponse(events).status).toBe("cancelled");
      open();
      await ask.findAs(busy.id, "completed");
      expect(server.records).toHaveLength(1);
      expect((await ask.send("GET", `/${id}`)).status).toBe(how === "cancel" ? 200 : 404);
    },
  );

  it("that waits for a slot takes it out of that queue", async () => {
    const { ask, server, open } = await halfway({ slots: 1 });
    const running = ask.create({ input: "Hello" });
    await until(() => server.engine.active === 1);
    const { id } = await ask.create(hello);
    await until(() => server.scheduler.load.waiting === 1);
    const { body } = await ask.send("POST", `/${id}/cancel`);
    expect(body).toMatchObject({ status: "cancelled", output: [] });
    expect(server.scheduler.load.waiting).toBe(0);
    open();
    await running;
    expect(server.records).toHaveLength(1);
  });

  it("that the server was too busy to begin does not come back", async () => {
    const { ask, server } = await halfway({ slots: 1, queueDepthMax: 0 });
    const frames = await ask.stream({ input: "Hello" });
    await frames.until("response.output_text.delta");
    const put = server.nextRun();
    const { id } = await ask.create(hello);
    await (
      await put
    ).settled;
    expect((await ask.send("POST", `/${id}/cancel`)).body).toMatchObject({ status: "cancelled" });
    server.clock.advance(60_000);
    expect(await ask.find(id)).toMatchObject({ status: "cancelled" });
    expect(server.records).toHaveLength(1);
  });

  it("that has ended changes nothing when it is cancelled", async () => {
    const { ask, open } = await halfway();
    const { id } = await ask.create(hello);
    open();
    const done = await ask.findAs(id, "completed");
    const { status, body } = await ask.send("POST", `/${id}/cancel`);
    expect([status, body]).toEqual([200, done]);
  });

  it("twice, or by two at a time, is the same as once", async () => {
    const { ask } = await halfway();
    const id = await begun(await ask.stream(hello));
    const answers = await Promise.all([1, 2, 3].map(() => ask.send("POST", `/${id}/cancel`)));
    answers.push(await ask.send("POST", `/${id}/cancel`));
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

describe("background responses to whom anything is done at any moment", () => {
  it("all end once, as do their streams; no slot is held on to", async () => {
    const server = await compose(slowly, { jobs: { jobsActiveMax: 2 } });
    const asker = askerOf(server.url);
    const live = async ({ stream, acts }: typeof life extends fc.Arbitrary<infer T> ? T : never) => {
      const own = stream ? await asker.stream(hello) : null;
      const created = await own?.until("response.created");
      const id =
        created !== undefined && "response" in created ? created.response.id : (await asker.create(hello)).id;
      let left = false;
      const act = async ([after, what]: (typeof acts)[number]): Promise<void> => {
        for (let at = 0; at < after; at += 1) await turn();
        if (what === "leave") {
          left = true;
          own?.leave();
        } else if (what === "follow") {
          const follower = await asker.follow(id).catch(() => null);
          const seen = (await follower?.events())?.map(({ type }) => type) ?? last;
          expect(seen.filter((type) => last.includes(type)).slice(-1)).toEqual(seen.slice(-1));
        } else expect([200, 404]).toContain((await ends(asker, what, id)).status);
      };
      await Promise.all(acts.map(act));
      const gone = acts.some(([, what]) => what === "delete");
      if (gone) expect((await asker.send("GET", `/${id}`)).status).toBe(404);
      else await until(() => server.engine.active === 0 && server.scheduler.load.waiting === 0);
      const seen = left ? null : ((await own?.events()) ?? null);
      if (seen !== null) expect(readStream(seen).last.status).toMatch(/^(completed|cancelled)$/);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
        await Promise.all(lives.map(live));
        await until(() => server.engine.active === 0 && server.scheduler.load.waiting === 0);
      }),
      { numRuns: 40 },
    );
    expect(server.logs.filter(({ level }) => level === "error")).toEqual([]);
  });
});

/** An answer with something else between any two words. */
function* slowly(): Generator<ScriptStep> {
  for (let at = 0; at < 15; at += 1) {
    yield ` ${at}`;
    yield turn();
  }
}

/** Lets everything else have its turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
