import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicOf, params, postMessage, weather } from "../../anthropic.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate } from "../../../kit/until.js";

const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });

describe("POST /v1/messages/count_tokens", () => {
  const counted = { model: params.model, messages: params.messages, system: "Be brief.", tools: [weather] };

  it("returns the prompt tokens of the same request, including cached ones", async () => {
    const server = await startServer({ engine: say, cachedTokens: 2 });
    const { input_tokens } = await anthropicOf(server).messages.countTokens(counted);
    const { usage } = await anthropicOf(server).messages.create({ ...params, ...counted });
    expect(input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  });

  it("generates nothing, records nothing and frees the model", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: say });
    const response = await postMessage(server, counted, "/count_tokens");
    expect(await response.json()).toEqual({ input_tokens: 6 });
    expect([server.engine.jobs, await server.records(), server.engine.leases]).toEqual([[], [], 0]);
  });

  it.each<[string, object, string | undefined, number, string]>([
    ["a wrong key", {}, "wrong-key-of-nobody", 401, "authentication_error"],
    ["a model of others", {}, keys.bob, 403, "permission_error"],
    ["an unusable model", { model: "broken-1m" }, undefined, 529, "overloaded_error"],
    ["a missing field", { messages: null }, undefined, 400, "invalid_request_error"],
    [
      "a prompt that does not fit",
      { messages: [{ role: "user", content: "word ".repeat(300) }] },
      undefined,
      400,
      "invalid_request_error",
    ],
  ])("rejects %s and frees the model", async (_case, fields, key, status, type) => {
    const server = shared();
    const thrown: unknown = await anthropicOf(server, key)
      .messages.countTokens({ ...counted, ...fields })
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ status, type });
    expect(server.engine.leases).toBe(0);
  });

  it("frees the model of a client that disconnected while it loaded", async () => {
    const [loading, done] = [gate(), gate()];
    const server = await startServer({ engine: say, onLoad: () => (loading.open(), done.opened) });
    const controller = new AbortController();
    const counting = anthropicOf(server).messages.countTokens(counted, { signal: controller.signal });
    await loading.opened;
    controller.abort();
    await expect(counting).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    done.open();
    const { input_tokens } = await anthropicOf(server).messages.countTokens(counted);
    expect([input_tokens, server.engine.leases]).toEqual([6, 0]);
    expect(server.logs.filter(({ level }) => level !== "info")).toEqual([]);
  });
});
