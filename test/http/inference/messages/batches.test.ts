import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { type ManagedServer, startServer, fileServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, eventually } from "../../../kit/until.js";

const shared = fileServer({ accounts: "managed", environment: { HEARTH_BATCH_LINES_MAX: "2" } });

const clientOf = ({ url, apiKey }: ManagedServer) => new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });

const request = (customId: string, content: string, more: object = {}) => ({
  custom_id: customId,
  params: { model: builtInModel, max_tokens: 16, messages: [{ role: "user" as const, content }], ...more },
});

const whenEnded = (client: Anthropic, id: string) =>
  vi.waitFor(
    async () => {
      const batch = await client.messages.batches.retrieve(id);
      expect(batch.processing_status).toBe("ended");
      return batch;
    },
    { timeout: 20_000, interval: 20 },
  );

async function resultsOf(client: Anthropic, id: string) {
  const results = [];
  for await (const result of await client.messages.batches.results(id)) results.push(result);
  return results;
}

describe("/v1/messages/batches", () => {
  it("answers every request as /v1/messages does, and reports errors in its place", async () => {
    const server = await startServer({
      accounts: "managed",
      environment: { HEARTH_BATCH_PRICE_PERCENT: "100" },
    });
    const client = clientOf(server);
    const requests = [
      ...Array.from({ length: 20 }, (_, at) => request(`r-${at}`, "Hello")),
      request("bad", "Hello", { temperature: 9 }),
      request("unknown", "Hello", { model: "other" }),
    ];
    const created = await client.messages.batches.create({ requests });
    expect(created).toMatchObject({
      type: "message_batch",
      processing_status: "in_progress",
      results_url: null,
    });
    const ended = await whenEnded(client, created.id);
    expect(ended.request_counts).toEqual({
      processing: 0,
      succeeded: 20,
      errored: 2,
      canceled: 0,
      expired: 0,
    });
    const results = await resultsOf(client, created.id);
    expect(results.map((result) => result.custom_id)).toEqual(requests.map((each) => each.custom_id));
    const direct = await client.messages.create({ ...request("", "Hello").params });
    const [first] = results;
    expect(first?.result).toMatchObject({ type: "succeeded" });
    if (first?.result.type === "succeeded")
      expect({ ...first.result.message, id: "" }).toEqual({ ...JSON.parse(JSON.stringify(direct)), id: "" });
    expect(results.slice(-2).map(({ result }) => result)).toMatchObject([
      { type: "errored", error: { type: "error", error: { type: "invalid_request_error" } } },
      { type: "errored", error: { type: "error", error: { type: "not_found_error" } } },
    ]);
    expect((await client.messages.batches.list()).data).toEqual([ended]);
    // Its results are no file of the team.
    expect((await client.beta.files.list()).data).toEqual([]);
    expect(await client.messages.batches.delete(created.id)).toEqual({
      id: created.id,
      type: "message_batch_deleted",
    });
    await expect(client.messages.batches.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
  });

  it("clears older tool results as /v1/messages does, and says so in the answer", async () => {
    const prompts: string[] = [];
    const engine = createScriptedEngine((prompt) => {
      prompts.push(prompt);
      return ["Rain."];
    });
    const client = clientOf(await startServer({ accounts: "managed", engine }));
    const call = (id: string): Anthropic.MessageParam[] => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `the text of ${id}` }] },
    ];
    const edit = {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 1 },
      keep: { type: "tool_uses", value: 1 },
    };
    const more = {
      messages: [{ role: "user" as const, content: "Weather?" }, ...call("old"), ...call("new")],
      tools: [{ name: "read", input_schema: { type: "object" as const } }],
      context_management: { edits: [edit] },
    };
    const { id } = await client.messages.batches.create({ requests: [request("a", "", more)] });
    await whenEnded(client, id);
    expect(await resultsOf(client, id)).toMatchObject([
      {
        result: {
          type: "succeeded",
          message: { context_management: { applied_edits: [{ cleared_tool_uses: 1 }] } },
        },
      },
    ]);
    expect(prompts[0]).toContain("the text of new");
    expect(prompts[0]).not.toContain("the text of old");
  });

  it("says that a batch which ended without results has none", async () => {
    const server = await startServer({ accounts: "managed" });
    const client = clientOf(server);
    const { id } = await client.messages.batches.create({ requests: [request("a", "Hello")] });
    await whenEnded(client, id);
    await server.database.kysely.updateTable("batches").set({ outputFileId: null }).execute();
    expect((await client.messages.batches.retrieve(id)).results_url).toBeNull();
    const results = await server.request(
      "GET",
      `/v1/messages/batches/${id}/results`,
      undefined,
      server.apiKey,
    );
    expect(results).toMatchObject({ status: 404, body: { error: { type: "not_found_error" } } });
  });

  it("cancels what is not in progress", async () => {
    const held = gate();
    const engine = createScriptedEngine(() => [held.opened, "Good day."]);
    const server = await startServer({
      accounts: "managed",
      engine,
      environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
    });
    const client = clientOf(server);
    const { id } = await client.messages.batches.create({
      requests: ["a", "b", "c"].map((each) => request(each, "Hello")),
    });
    await eventually(() => expect(engine.active).toBe(1));
    await expect(client.messages.batches.delete(id)).rejects.toMatchObject({ status: 409 });
    expect((await client.messages.batches.cancel(id)).processing_status).toBe("canceling");
    held.open();
    const ended = await whenEnded(client, id);
    expect(ended.request_counts).toEqual({
      processing: 0,
      succeeded: 1,
      errored: 0,
      canceled: 2,
      expired: 0,
    });
    expect((await resultsOf(client, id)).map(({ result }) => result.type)).toEqual([
      "succeeded",
      "canceled",
      "canceled",
    ]);
  });

  it.each([
    ["no requests", [], "requests"],
    ["a custom_id twice", [request("a", "x"), request("a", "y")], "requests.1.custom_id"],
    ["a custom_id with a space", [request("a b", "x")], "requests.0.custom_id"],
    ["too many requests", ["a", "b", "c"].map((each) => request(each, "x")), "requests"],
  ])("refuses %s with the name of the field", async (_, requests, field) => {
    const server = shared();
    const refused = await server.request("POST", "/v1/messages/batches", { requests }, server.apiKey);
    expect(refused).toMatchObject({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error" } },
    });
    expect(JSON.stringify(refused.body)).toContain(`${field}: `);
  });
});
