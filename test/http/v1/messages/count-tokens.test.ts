import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicOf, params, postMessage, weather } from "../../anthropic.js";
import { compose, gate, keys } from "../../compose.js";

const say = () => ["Good", " day."];

describe("POST /v1/messages/count_tokens", () => {
  const counted = { model: params.model, messages: params.messages, system: "Be brief.", tools: [weather] };

  it("tells the tokens that the same request is answered from, cached ones included", async () => {
    const server = await compose(say, { cachedTokens: 2 });
    const { input_tokens } = await anthropicOf(server).messages.countTokens(counted);
    const { usage } = await anthropicOf(server).messages.create({ ...params, ...counted });
    expect(input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  });

  it("generates, records and holds nothing", async () => {
    const server = await compose(say);
    const response = await postMessage(server, counted, "/count_tokens");
    expect(await response.json()).toEqual({ input_tokens: 6 });
    expect([server.engine.jobs, server.records, server.engine.leases]).toEqual([[], [], 0]);
  });

  it.each<[string, object, string | undefined, number, string]>([
    ["a wrong key", {}, "wrong-key-of-nobody", 401, "authentication_error"],
    ["a model of others", {}, keys.bob, 404, "not_found_error"],
    ["an unusable model", { model: "broken-1m" }, undefined, 529, "overloaded_error"],
    ["a missing field", { messages: null }, undefined, 400, "invalid_request_error"],
    [
      "a prompt that does not fit",
      { messages: [{ role: "user", content: "word ".repeat(300) }] },
      undefined,
      400,
      "invalid_request_error",
    ],
  ])("refuses %s and lets go of the model", async (_case, fields, key, status, type) => {
    const server = await compose(say);
    const thrown: unknown = await anthropicOf(server, key)
      .messages.countTokens({ ...counted, ...fields })
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ status, type });
    expect(server.engine.leases).toBe(0);
  });

  it("holds no model for a client that left while it loaded", async () => {
    const [loading, done] = [gate(), gate()];
    const server = await compose(say, { onLoad: () => (loading.open(), done.opened) });
    const leaving = new AbortController();
    const counting = anthropicOf(server).messages.countTokens(counted, { signal: leaving.signal });
    await loading.opened;
    leaving.abort();
    await expect(counting).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    done.open();
    const { input_tokens } = await anthropicOf(server).messages.countTokens(counted);
    expect([input_tokens, server.engine.leases]).toEqual([6, 0]);
    expect(server.logs.filter(({ level }) => level !== "info")).toEqual([]);
  });
});
