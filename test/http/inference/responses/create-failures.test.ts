import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../kit/scripted/engine.js";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer } from "../../../kit/server.js";
import { gate, until } from "../../../kit/until.js";
import { createResponsesClient, textOf } from "../../../kit/clients/responses.js";

describe("POST /v1/responses that fails, or whose client disconnects,", () => {
  it("answers a failure before the start with an HTTP error, and stores nothing", async () => {
    const server = await startServer({
      engine: () => ["Good day."],
      contextTokens: 4,
      config: { responsesMax: 1 },
    });
    const client = createResponsesClient(server.url);
    for (const stream of [false, true]) {
      const body = { model: "ember-1m", input: "far too long for the model", stream };
      const failed = await client.send("POST", "", body);
      expect([failed.status, failed.body]).toMatchObject([
        400,
        { error: { code: "context_length_exceeded" } },
      ]);
    }
    // There is one slot.
    await expect(client.create({ input: "Hi" })).resolves.toMatchObject({ status: "incomplete" });
  });

  it("stores nothing of a JSON answer that fails half-way", async () => {
    const wrong: ScriptStep[][] = [["Good", new Error("the device is gone")]];
    const server = await startServer({
      engine: () => wrong.pop() ?? ["Good day."],
      config: { responsesMax: 1 },
    });
    const client = createResponsesClient(server.url);
    expect(await client.send("POST", "", { model: "ember-1m", input: "Hi" })).toMatchObject({ status: 500 });
    await expect(client.create({ input: "Hi" })).resolves.toMatchObject({ status: "completed" });
  });

  it("reports a failure in mid-stream as response.failed and [DONE], and stores it as failed", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("the device is gone")] });
    const client = createResponsesClient(server.url);
    const events = await (await client.stream({ input: "Hello" })).events();
    const { last } = readStream(events);
    expect(events.at(-1)?.type).toBe("response.failed");
    expect(last).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: expect.not.stringContaining("device") as string },
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
    });
    expect(await client.find(last.id)).toEqual(last);
    expect(await server.records()).toMatchObject([{ state: "failed" }]);
  });

  it("F5: frees the slot of a client that disconnects in mid-stream, and stores the output so far as cancelled", async () => {
    const wait = gate();
    const server = await startServer({
      engine: (prompt) => (prompt.includes("Bye") ? ["Bye."] : ["Good", wait.opened]),
      slots: 1,
    });
    const client = createResponsesClient(server.url);
    const frames = await client.stream({ input: "Hello" });
    const created = await frames.until("response.created");
    const { id } = "response" in created ? created.response : { id: "" };
    await frames.until("response.output_text.delta");
    frames.leave();
    expect(textOf(await client.create({ input: "Bye" }))).toBe("Bye.");
    expect(await client.find(id)).toMatchObject({
      status: "cancelled",
      output: [{ status: "incomplete", content: [{ text: "Good" }] }],
      usage: { output_tokens: 1 },
    });
    expect((await server.records()).map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it("F5: stores nothing for a client that disconnects while it waits for a slot", async () => {
    const wait = gate();
    const server = await startServer({
      engine: () => ["Good", wait.opened],
      slots: 1,
      config: { responsesMax: 1 },
    });
    const client = createResponsesClient(server.url);
    const running = await client.stream({ input: "Hello", store: false });
    const controller = new AbortController();
    const queued = fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer ada-has-a-key-of-her-own", "content-type": "application/json" },
      body: JSON.stringify({ model: "ember-1m", input: "Hello" }),
      signal: controller.signal,
    });
    await until(() => server.scheduler.load.waiting === 1);
    controller.abort();
    await expect(queued).rejects.toThrow();
    await until(() => server.scheduler.load.waiting === 0);
    wait.open();
    await running.all();
    // There is one slot.
    await expect(client.create({ input: "Hello" })).resolves.toMatchObject({ status: "completed" });
  });
});
