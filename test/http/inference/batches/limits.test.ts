import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, eventually } from "../../../kit/until.js";
import { contentNames } from "../../../kit/clients/uploads.js";
import { chatLine, clientOf, createBatch, whenEnded } from "../../../kit/clients/batches.js";

/** Starts a server that answers no request before the test ends. */
async function startHeld(environment: NodeJS.ProcessEnv) {
  const held = gate();
  const engine = createScriptedEngine(() => [held.opened, "Good day."]);
  return startServer({ accounts: "managed", engine, environment });
}

const requestsOf = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({
    custom_id: `r-${at}`,
    params: { model: builtInModel, max_tokens: 1, messages: [{ role: "user", content: "Hello" }], ...more },
  }));

const createMessages = (server: ManagedServer, requests: readonly object[]) =>
  server.request("POST", "/v1/messages/batches", { requests }, server.apiKey);

/** Creates a message batch, and waits until it has ended. @returns its id. */
async function endedMessages(server: ManagedServer): Promise<string> {
  const created = await createMessages(server, requestsOf(1, { temperature: 9 }));
  expect(created.status).toBe(200);
  const { id } = created.body as { id: string };
  await eventually(async () =>
    expect(
      (await server.request("GET", `/v1/messages/batches/${id}`, undefined, server.apiKey)).body,
    ).toMatchObject({ processing_status: "ended" }),
  );
  return id;
}

describe("batches", () => {
  it("of a team are no more than it may have, also when they are created at once", async () => {
    const server = await startHeld({ HEARTH_TEAM_BATCHES_MAX: "1" });
    const client = clientOf(server);
    const file = await client.files.create({
      file: new File([JSON.stringify(chatLine("a", "Hello"))], "input.jsonl"),
      purpose: "batch",
    });
    const create = () =>
      client.batches.create({
        input_file_id: file.id,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      });
    const creations = await Promise.allSettled([1, 2, 3, 4, 5].map(create));
    const refusals = creations.filter(({ status }) => status === "rejected");
    expect(refusals).toHaveLength(4);
    for (const refusal of refusals) expect(refusal).toMatchObject({ reason: { status: 429 } });
    expect((await createMessages(server, requestsOf(1))).status).toBe(429);
  });

  it.each([
    ["requests", { HEARTH_TEAM_BATCH_LINES_MAX: "3" }],
    ["bytes", { HEARTH_TEAM_BATCH_BYTES_MAX: "250" }],
  ])("of a team have no more %s together than they may", async (what, environment) => {
    const server = await startHeld(environment);
    const client = clientOf(server);
    const lines = [chatLine("a", "Hello"), chatLine("b", "Hello")];
    const first = await createBatch(client, lines);
    await eventually(async () =>
      expect((await client.batches.retrieve(first.id)).status).toBe("in_progress"),
    );
    const message = expect.stringMatching(
      new RegExp(`^The team has \\d+ of \\d+ ${what} waiting in batches`),
    ) as string;
    const second = await whenEnded(client, await createBatch(client, lines));
    expect(second).toMatchObject({ status: "failed", errors: { data: [{ line: null, message }] } });
    expect(await createMessages(server, requestsOf(2))).toMatchObject({
      status: 429,
      body: { error: { message } },
    });
  });

  it("of messages have no more bytes than one batch may have", async () => {
    const server = await startHeld({ HEARTH_BATCH_BYTES_MAX: "150" });
    expect(await createMessages(server, requestsOf(2))).toMatchObject({
      status: 400,
      body: { error: { message: "requests: must have at most 150 bytes together" } },
    });
    expect((await createMessages(server, requestsOf(1))).status).toBe(200);
  });

  it("are refused while the team stores more than it may, their results included", async () => {
    const server = await startServer({ accounts: "managed", environment: { HEARTH_TEAM_FILES_MAX: "1" } });
    const first = await endedMessages(server);
    await endedMessages(server);
    expect(await createMessages(server, requestsOf(1))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("at most 1 files") as string } },
    });
    await server.request("DELETE", `/v1/messages/batches/${first}`, undefined, server.apiKey);
    await endedMessages(server);
  });

  it("that ended displace the oldest, with its results where they are no file of the team", async () => {
    const server = await startServer({
      accounts: "managed",
      environment: { HEARTH_TEAM_ENDED_BATCHES_MAX: "1" },
    });
    const client = clientOf(server);
    const first = await whenEnded(client, await createBatch(client, [chatLine("a", "Hello")]));
    server.clock.advance(1_000);
    await endedMessages(server);
    server.clock.advance(1_000);
    const third = await endedMessages(server);
    await expect(client.batches.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    expect((await client.files.retrieve(first.output_file_id ?? "")).purpose).toBe("batch_output");
    expect(contentNames(server.data)).toHaveLength(4);
    server.clock.advance(1_000);
    const fourth = await endedMessages(server);
    const list = await server.request("GET", "/v1/messages/batches", undefined, server.apiKey);
    expect((list.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([fourth, third]);
    // The input and the output of the first, and the results of the two that are left.
    expect(contentNames(server.data)).toHaveLength(4);
  });
});
