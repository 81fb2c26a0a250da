import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";

const hello = {
  model: "ember-1m",
  prompt: "Be brief.\n\nHuman: Hello\n\nAssistant:",
  max_tokens_to_sample: 20,
};
const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });

function complete(server: ScriptedServer, fields: object = {}, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/complete`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify({ ...hello, ...fields }),
  });
}

const id = "compl_0193a1c2-5d7e-7c40-9b1f-000000000002";
const frame = (completion: string, reason: string | null): string =>
  `event: completion\ndata: ${JSON.stringify({ type: "completion", id, completion, stop_reason: reason, model: "ember-1m" })}\n\n`;

describe("POST /v1/complete", () => {
  it("returns one JSON object", async () => {
    // The answer contains the first id of a server.
    const response = await complete(await startServer({ engine: say }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      type: "completion",
      id,
      completion: "Good day.",
      stop_reason: "stop_sequence",
      model: "ember-1m",
    });
  });

  it("streams the expected named events byte for byte, without [DONE]", async () => {
    // The bytes contain the first id of a server.
    const response = await complete(await startServer({ engine: say }), {
      stream: true,
      max_tokens_to_sample: 1,
    });
    expect(await response.text()).toBe(frame("Good", null) + frame("", "max_tokens"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
  });

  it("passes the turns and the beginning of the answer to the model's template", async () => {
    const prompts: string[] = [];
    const server = await startServer({
      engine: (prompt) => {
        prompts.push(prompt);
        return say();
      },
    });
    await complete(server);
    await complete(server, { prompt: `${hello.prompt} Well,` });
    expect(prompts).toEqual([
      "system: Be brief.\nuser: Hello\nassistant:",
      "system: Be brief.\nuser: Hello\nassistant: Well,",
    ]);
    expect(server.engine.jobs[0]?.stop).toEqual(["\n\nHuman:"]);
  });

  it("accepts the request of the official client", async () => {
    const server = shared();
    const client = new Anthropic({ baseURL: server.url, apiKey: keys.ada, maxRetries: 0 });
    const answer = await client.post<{ completion: string }>("/v1/complete", { body: hello });
    expect(answer.completion).toBe("Good day.");
  });

  it("reports a failure in mid-stream as an error event", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const text = await (await complete(server, { stream: true })).text();
    expect(text).toContain('event: error\ndata: {"type":"error","error":{"type":"api_error"');
    expect(text).not.toContain("/var/lib");
  });

  it.each<[string, object, string, number, string]>([
    ["without the ACL", {}, keys.bob, 403, "permission_error"],
    ["of an unknown model", { model: "claude-x" }, keys.ada, 404, "not_found_error"],
    ["of an unusable model", { model: "broken-1m" }, keys.ada, 529, "overloaded_error"],
    ["without a bound", { max_tokens_to_sample: null }, keys.ada, 400, "max_tokens_to_sample"],
    ["without an assistant's turn", { prompt: "Hello" }, keys.ada, 400, "invalid_request_error"],
  ])("rejects a request %s in Anthropic's format", async (_case, fields, key, status, contains) => {
    const server = shared();
    for (const stream of [false, true]) {
      const response = await complete(server, { ...fields, stream }, key);
      expect(response.status).toBe(status);
      const body = (await response.json()) as object;
      expect(body).toMatchObject({ type: "error", request_id: response.headers.get("request-id") });
      expect(JSON.stringify(body)).toContain(contains);
    }
  });
});
