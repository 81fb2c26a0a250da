import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { createFileContents, type FileContents } from "../../../../src/inference/files/contents.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, eventually } from "../../../kit/until.js";
import { createTestTeam } from "../../threats/world.js";
import { chatLine, clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";

/** Echoes the first word of the user. */
const echo = (prompt: string) => [`echo ${/user: (\S+)/.exec(prompt)?.[1] ?? ""}`];

const shared = fileServer({ accounts: "managed", engine: echo });

/** Starts a server whose batch of three lines waits in the second one. */
async function startHalfAnswered() {
  const held = gate();
  const engine = createScriptedEngine((prompt) =>
    prompt.includes("wait") ? [held.opened, "late"] : ["early"],
  );
  const server = await startServer({
    accounts: "managed",
    engine,
    environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
  });
  const client = clientOf(server);
  const batch = await createBatch(client, [
    chatLine("first", "now"),
    chatLine("second", "wait"),
    chatLine("third", "now"),
  ]);
  await eventually(() => expect(engine.active).toBe(1));
  return { server, client, batch, held };
}

describe("a batch", () => {
  it("is answered line by line, with what the client sees of it on the way", async () => {
    const server = shared();
    const { apiKey } = await createTestTeam(server, "of one batch");
    const client = clientOf({ url: server.url, apiKey });
    const lines = Array.from({ length: 40 }, (_, at) => chatLine(`line-${at}`, `word-${at}`));
    const created = await createBatch(client, [...lines, ""], undefined, { metadata: { project: "ember" } });
    expect(created).toMatchObject({
      object: "batch",
      status: "validating",
      completion_window: "24h",
      metadata: { project: "ember" },
      expires_at: created.created_at + 86_400,
    });
    const batch = await whenEnded(client, created);
    expect(batch).toMatchObject({
      status: "completed",
      request_counts: { total: 40, completed: 40, failed: 0 },
      error_file_id: null,
      errors: null,
    });
    expect(batch.usage?.output_tokens).toBe(80);
    expect(batch.usage?.total_tokens).toBe((batch.usage?.input_tokens ?? 0) + 80);
    const output = await linesOf(client, batch.output_file_id);
    expect(output.map((line) => line.custom_id)).toEqual(Array.from({ length: 40 }, (_, at) => `line-${at}`));
    expect(output.map((line) => line.response?.body.choices?.[0]?.message?.content)).toEqual(
      Array.from({ length: 40 }, (_, at) => `echo word-${at}`),
    );
    expect(output[0]).toMatchObject({
      id: output[0]?.response?.request_id,
      error: null,
      response: { status_code: 200 },
    });
    expect(await client.files.retrieve(batch.output_file_id ?? "")).toMatchObject({
      purpose: "batch_output",
      filename: `${batch.id}_output.jsonl`,
    });
    expect((await client.batches.list({ limit: 1 })).data).toEqual([batch]);
  });

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }] }, ["id", "created"]],
    ["/v1/completions", { prompt: "Hello", echo: true }, ["id", "created"]],
    [
      "/v1/responses",
      { input: "Hello", store: false, metadata: { a: "b" } },
      ["id", "created_at", "completed_at"],
    ],
    ["/v1/embeddings", { model: "hearth-embed-1m", input: ["Hello", "a cat"] }, []],
  ] as const)("answers a line of %s as the route does, byte for byte", async (endpoint, fields, changing) => {
    const server = await startServer({
      accounts: "managed",
      engine: echo,
      environment: { HEARTH_BATCH_PRICE_PERCENT: "100" },
    });
    const client = clientOf(server);
    const body = { model: builtInModel, ...fields };
    const route = await server.request("POST", endpoint, body, server.apiKey);
    expect(route.status).toBe(200);
    const line = { custom_id: "a", method: "POST", url: endpoint, body };
    const batch = await whenEnded(client, await createBatch(client, [line], endpoint));
    const [answer] = await linesOf(client, batch.output_file_id);
    // Ids and times differ between two requests to the route, too.
    const stable = (whole: unknown): string => {
      const { ...copy } = whole as Record<string, unknown>;
      for (const name of changing) copy[name] = "changes";
      return JSON.stringify(copy).replace(/"(msg|rs|fc)_[^"]*"/g, '"item"');
    };
    expect(stable(answer?.response?.body)).toBe(stable(route.body));
  });

  it("costs half of what the same requests cost, reserved and settled as theirs", async () => {
    const server = shared();
    const teamId = await server.createTeam("prepaid");
    await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "500" } });
    const { apiKey } = await server.createKey(teamId, { acls: ["api-key:endpoint:*", "api-key:model:*"] });
    const client = clientOf({ url: server.url, apiKey });
    const body = { model: builtInModel, messages: [{ role: "user" as const, content: "Hello" }] };
    await client.chat.completions.create(body);
    const batch = await whenEnded(client, await createBatch(client, [chatLine("a", "Hello")]));
    const [run, direct] = await server.app.runs.list(2);
    expect(direct?.costTicks).toBeGreaterThan(0);
    expect(run).toMatchObject({
      endpoint: "/v1/chat/completions",
      teamId,
      costTicks: (direct?.costTicks ?? 0) / 2,
    });
    expect(run?.reservedTicks).toBe((direct?.reservedTicks ?? 0) / 2);
    const [answer] = await linesOf(client, batch.output_file_id);
    expect(answer?.response?.body.usage?.cost_in_usd_ticks).toBe(run?.costTicks);
    expect(answer?.response?.request_id).toBe(run?.requestId);
    expect(await server.stores.ledger.verify()).toEqual([]);
  });

  it("puts the error that the route answers into the error file, and goes on", async () => {
    const server = shared();
    const client = clientOf(server);
    const bad = chatLine("bad", "Hello", { temperature: 9 });
    const batch = await whenEnded(
      client,
      await createBatch(client, [bad, chatLine("streamed", "x", { stream: true }), chatLine("good", "word")]),
    );
    expect(batch.request_counts).toEqual({ total: 3, completed: 1, failed: 2 });
    const errors = await linesOf(client, batch.error_file_id);
    expect(errors).toMatchObject([
      {
        custom_id: "bad",
        response: { status_code: 400, body: { error: { param: "temperature" } } },
        error: null,
      },
      {
        custom_id: "streamed",
        response: { status_code: 400, body: { error: { param: "stream" } } },
        error: null,
      },
    ]);
    expect((await linesOf(client, batch.output_file_id)).map((line) => line.custom_id)).toEqual(["good"]);
  });

  it("that is cancelled answers what is in progress, and nothing else", async () => {
    const held = gate();
    const engine = createScriptedEngine(() => [held.opened, "Good day."]);
    const server = await startServer({
      accounts: "managed",
      engine,
      environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
    });
    const client = clientOf(server);
    const batch = await createBatch(
      client,
      [1, 2, 3].map((at) => chatLine(`line-${at}`, "Hello")),
    );
    await eventually(() => expect(engine.active).toBe(1));
    expect((await client.batches.cancel(batch.id)).status).toBe("cancelling");
    held.open();
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({
      status: "cancelled",
      request_counts: { total: 3, completed: 1, failed: 0 },
    });
    expect((await linesOf(client, ended.output_file_id)).map((line) => line.custom_id)).toEqual(["line-1"]);
    expect(await linesOf(client, ended.error_file_id)).toMatchObject([
      { custom_id: "line-2", response: null, error: { code: "batch_cancelled" } },
      { custom_id: "line-3", response: null, error: { code: "batch_cancelled" } },
    ]);
    await expect(client.batches.cancel(batch.id)).rejects.toMatchObject({ status: 409 });
  });

  it("expires after 24 hours with what was answered until then", async () => {
    const { server, client, batch, held } = await startHalfAnswered();
    await eventually(async () =>
      expect((await client.batches.retrieve(batch.id)).request_counts?.completed).toBe(1),
    );
    server.clock.jump(86_400_000);
    await eventually(async () => expect((await client.batches.retrieve(batch.id)).status).toBe("finalizing"));
    held.open();
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({ status: "expired", request_counts: { total: 3, completed: 2, failed: 0 } });
    expect(await linesOf(client, ended.error_file_id)).toMatchObject([
      { custom_id: "third", response: null, error: { code: "batch_expired" } },
    ]);
  });

  it("is validated again when the disk failed while its input was read", async () => {
    const contents = createFileContents(join(temporaryFolder(), "files"));
    let failures = 1;
    const fileContents: FileContents = {
      ...contents,
      async read(id) {
        failures -= 1;
        if (failures >= 0) throw Object.assign(new Error("EIO: the disk failed"), { code: "EIO" });
        return contents.read(id);
      },
    };
    const server = await startServer({ accounts: "managed", engine: echo, fileContents });
    const client = clientOf(server);
    const batch = await createBatch(client, [chatLine("first", "now")]);
    await eventually(() => expect(failures).toBe(0));
    expect((await client.batches.retrieve(batch.id)).status).toBe("validating");
    server.clock.advance(30_000);
    expect(await whenEnded(client, batch)).toMatchObject({
      status: "completed",
      request_counts: { completed: 1 },
    });
  });

  it("is delayed by limits instead of refused", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed", engine: echo });
    const team = await createTestTeam(server, "limited");
    const { apiKey } = await server.createKey(team.teamId, {
      acls: ["api-key:endpoint:*", "api-key:model:*"],
      qpm: 5,
    });
    const client = clientOf({ url: server.url, apiKey });
    // The upload and the creation count, too.
    const batch = await createBatch(
      client,
      Array.from({ length: 8 }, (_, at) => chatLine(`line-${at}`, "Hello")),
    );
    await eventually(async () =>
      expect((await client.batches.retrieve(batch.id)).request_counts?.completed).toBe(3),
    );
    server.clock.advance(60_000);
    await eventually(async () =>
      expect((await client.batches.retrieve(batch.id)).request_counts?.completed).toBe(8),
    );
    expect(await whenEnded(client, batch)).toMatchObject({
      status: "completed",
      request_counts: { failed: 0 },
    });
  });

  it("belongs to its team: no other sees, cancels or uses it", async () => {
    const server = shared();
    const other = await createTestTeam(server, "theirs");
    const client = clientOf(server);
    const theirs = clientOf({ url: server.url, apiKey: other.apiKey });
    const batch = await whenEnded(client, await createBatch(client, [chatLine("a", "Hello")]));
    expect((await theirs.batches.list()).data).toEqual([]);
    for (const ask of [
      () => theirs.batches.retrieve(batch.id),
      () => theirs.batches.cancel(batch.id),
      () => theirs.files.content(batch.output_file_id ?? ""),
      () =>
        theirs.batches.create({
          input_file_id: batch.input_file_id,
          endpoint: "/v1/responses",
          completion_window: "24h",
        }),
    ])
      await expect(ask()).rejects.toMatchObject({ status: 404 });
  });

  it("is refused beyond the batches that a team may have waiting", async () => {
    const held = gate();
    const engine = createScriptedEngine(() => [held.opened, "Good day."]);
    const server = await startServer({
      accounts: "managed",
      engine,
      environment: { HEARTH_TEAM_BATCHES_MAX: "1" },
    });
    const client = clientOf(server);
    const first = await createBatch(client, [chatLine("a", "Hello")]);
    await expect(createBatch(client, [chatLine("a", "Hello")])).rejects.toMatchObject({ status: 429 });
    held.open();
    await whenEnded(client, first);
    await whenEnded(client, await createBatch(client, [chatLine("a", "Hello")]));
  });
});
