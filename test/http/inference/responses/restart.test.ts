import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { type TestServer, startServer } from "../../../kit/server.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import {
  createResponsesClient,
  textOf,
  type ResponsesClient,
  type Frames,
} from "../../../kit/clients/responses.js";

interface Served extends TestServer {
  readonly responses: ResponsesClient;
}

/** Starts a server over a data folder that says "Good" and then waits, or says the whole answer. */
async function serve(data: string, waits: boolean, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
  const engine = createScriptedEngine(() => ["Good", waits ? gate().opened : "", " day."]);
  const started = await startServer({ environment: { HEARTH_DATA: data, ...environment }, engine });
  return { ...started, responses: createResponsesClient(started.url, testKey, builtInModel) };
}

const hello = { input: "Hello", background: true } as const;

async function idOf(frames: Frames): Promise<string> {
  const created = await frames.until("response.created");
  return "response" in created ? created.response.id : "";
}

/** Returns the error at the end of a stream, before `[DONE]`. */
function lastError(frames: readonly string[]): unknown {
  expect(frames.at(-1)).toBe("data: [DONE]\n\n");
  const match = /^event: error\ndata: (.*)\n\n$/.exec(frames.at(-2) ?? "");
  return JSON.parse(match?.[1] ?? "null");
}

describe("a server that closes with active background responses", () => {
  it("ends the streams of their followers with an error that gives the reason, and requeues the responses for the next start", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, true, { HEARTH_JOBS_ACTIVE_MAX: "2" });
    const followed = await first.responses.stream(hello);
    const ids = { followed: await idOf(followed), running: "", waiting: "", queued: "" };
    await followed.until("response.output_text.delta");
    ids.running = (await first.responses.create(hello)).id;
    await first.responses.findAs(ids.running, "in_progress");
    const waiting = await first.responses.stream(hello);
    ids.waiting = await idOf(waiting);
    await waiting.until("response.queued");
    ids.queued = (await first.responses.create(hello)).id;
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
      expect(textOf(await second.responses.findAs(id, "completed"))).toBe("Good day.");
    const failed = await second.responses.findAs(ids.followed, "failed");
    expect(failed.error).toMatchObject({ message: expect.stringContaining("stopped") as string });
    // A client that has seen more than the new stream contains receives its end.
    const rest = await (await second.responses.follow(ids.followed, seen - 1)).events();
    expect(rest).toMatchObject([{ type: "response.failed", response: { id: ids.followed } }]);
    const whole = await (await second.responses.follow(ids.waiting)).events();
    expect(whole.map(({ sequence_number }) => sequence_number)).toEqual(whole.map((_, at) => at));
    const records = await second.app.runs.list(100);
    const states = (id: string) =>
      records.filter(({ requestId }) => requestId === id).map(({ state }) => state);
    expect(states(ids.followed)).toEqual(["interrupted"]);
    expect(states(ids.running).toSorted()).toEqual(["completed", "interrupted"]);
    for (const id of [ids.waiting, ids.queued]) expect(states(id)).toEqual(["completed"]);
  });

  it("sends the end of a broken stream to a client that follows its rest, however much the client has seen", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, true);
    const { id: older } = await first.responses.create(hello);
    await first.responses.findAs(older, "in_progress");
    const frames = await first.responses.stream(hello);
    const id = await idOf(frames);
    await frames.until("response.output_text.delta");
    const seen = frames.seen.length;
    await first.app.close();

    const second = await serve(data, true, { HEARTH_JOBS_ACTIVE_MAX: "1" });
    const rest = await second.responses.follow(id, seen - 1);
    await second.responses.send("POST", `/${older}/cancel`);
    expect(await rest.events()).toMatchObject([
      { type: "response.failed", response: { id, status: "failed" } },
    ]);
  });

  it("stores a response as cancelled whose cancellation was not complete when the shutdown began", async () => {
    const data = join(temporaryFolder(), "data");
    const stopping = gate();
    const engine = createScriptedEngine(() => ["Good", gate().opened]);
    const generate = engine.generate.bind(engine);
    vi.spyOn(engine, "generate").mockImplementation(async function* (...job) {
      yield* generate(...job);
      await stopping.opened;
    });
    const first = await startServer({ environment: { HEARTH_DATA: data }, engine });
    const responses = createResponsesClient(first.url, testKey, builtInModel);
    const { id } = await responses.create(hello);
    await responses.findAs(id, "in_progress");
    await until(() => engine.active === 1);
    const cancelled = responses.send("POST", `/${id}/cancel`);
    await until(() => engine.active === 0);
    const closing = first.app.close();
    stopping.open();
    const { status, body } = await cancelled;
    await closing;
    expect([status, body]).toMatchObject([200, { status: "cancelled" }]);
    const second = await serve(data, false);
    expect(await second.responses.find(id)).toEqual(body);
  });
});
