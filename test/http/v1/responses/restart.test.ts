import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../../src/engine/scripted.js";
import { builtInModel, startApp, temporaryFolder, testKey, until, type TestApp } from "../../../harness.js";
import { gate } from "../../compose.js";
import { askerOf, textOf, type Asker, type Frames } from "./responses.js";

interface Served extends TestApp {
  readonly ask: Asker;
}

/** A server over that data folder that says "Good" and then waits, or one that says all of it. */
async function serve(data: string, waits: boolean, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
  const engine = createScriptedEngine(() => ["Good", waits ? gate().opened : "", " day."]);
  const started = await startApp({ HEARTH_DATA: data, ...environment }, { engine });
  return { ...started, ask: askerOf(started.url, testKey, builtInModel) };
}

const hello = { input: "Hello", background: true } as const;

async function idOf(frames: Frames): Promise<string> {
  const created = await frames.until("response.created");
  return "response" in created ? created.response.id : "";
}

/** The error that a stream ends with, before its `[DONE]`. */
function lastError(frames: readonly string[]): unknown {
  expect(frames.at(-1)).toBe("data: [DONE]\n\n");
  const match = /^event: error\ndata: (.*)\n\n$/.exec(frames.at(-2) ?? "");
  return JSON.parse(match?.[1] ?? "null");
}

describe("a server that closes with background responses in hand", () => {
  it("ends their followers' streams with an error that says why, and puts them back for the next one", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, true, { HEARTH_JOBS_ACTIVE_MAX: "2" });
    const followed = await first.ask.stream(hello);
    const ids = { followed: await idOf(followed), running: "", waiting: "", queued: "" };
    await followed.until("response.output_text.delta");
    ids.running = (await first.ask.create(hello)).id;
    await first.ask.findAs(ids.running, "in_progress");
    const waiting = await first.ask.stream(hello);
    ids.waiting = await idOf(waiting);
    await waiting.until("response.queued");
    ids.queued = (await first.ask.create(hello)).id;
    const seen = followed.seen.length;
    await first.app.close();
    for (const frames of [followed, waiting])
      expect(lastError(await frames.all())).toMatchObject({
        type: "error",
        code: "overloaded",
        message: expect.stringContaining("closing") as string,
      });
    expect(lastError(followed.seen)).toHaveProperty("sequence_number", seen);

    const second = await serve(data, false);
    for (const id of [ids.running, ids.waiting, ids.queued])
      expect(textOf(await second.ask.findAs(id, "completed"))).toBe("Good day.");
    const failed = await second.ask.findAs(ids.followed, "failed");
    expect(failed.error).toMatchObject({ message: expect.stringContaining("stopped") as string });
    // Whoever had seen more of it than there is now is told its end.
    const rest = await (await second.ask.follow(ids.followed, seen - 1)).events();
    expect(rest).toMatchObject([{ type: "response.failed", response: { id: ids.followed } }]);
    const whole = await (await second.ask.follow(ids.waiting)).events();
    expect(whole.map(({ sequence_number }) => sequence_number)).toEqual(whole.map((_, at) => at));
    const records = await second.app.runs.list(100);
    const states = (id: string) =>
      records.filter(({ requestId }) => requestId === id).map(({ state }) => state);
    expect(states(ids.followed)).toEqual(["interrupted"]);
    expect(states(ids.running).toSorted()).toEqual(["completed", "interrupted"]);
    for (const id of [ids.waiting, ids.queued]) expect(states(id)).toEqual(["completed"]);
  });

  it("has whoever follows the rest of a broken stream told its end, however much of it was seen", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, true);
    const { id: older } = await first.ask.create(hello);
    await first.ask.findAs(older, "in_progress");
    const frames = await first.ask.stream(hello);
    const id = await idOf(frames);
    await frames.until("response.output_text.delta");
    const seen = frames.seen.length;
    await first.app.close();

    const second = await serve(data, true, { HEARTH_JOBS_ACTIVE_MAX: "1" });
    const rest = await second.ask.follow(id, seen - 1);
    await second.ask.send("POST", `/${older}/cancel`);
    expect(await rest.events()).toMatchObject([
      { type: "response.failed", response: { id, status: "failed" } },
    ]);
  });

  it("keeps what was cancelled while it closed as cancelled", async () => {
    const data = join(temporaryFolder(), "data");
    const stopping = gate();
    const engine = createScriptedEngine(() => ["Good", gate().opened]);
    const generate = engine.generate.bind(engine);
    vi.spyOn(engine, "generate").mockImplementation(async function* (...job) {
      yield* generate(...job);
      await stopping.opened;
    });
    const first = await startApp({ HEARTH_DATA: data }, { engine });
    const ask = askerOf(first.url, testKey, builtInModel);
    const { id } = await ask.create(hello);
    await ask.findAs(id, "in_progress");
    await until(() => engine.active === 1);
    const closing = first.app.close();
    const cancelled = ask.send("POST", `/${id}/cancel`);
    await until(() => engine.active === 0);
    stopping.open();
    const { status, body } = await cancelled;
    await closing;
    expect([status, body]).toMatchObject([200, { status: "cancelled" }]);
    const second = await serve(data, false);
    expect(await second.ask.find(id)).toEqual(body);
  });
});
