import { describe, expect, it } from "vitest";
import { postMessage, weather } from "../../anthropic.js";
import { startServer, fileServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import { gate } from "../../../kit/until.js";

const say = () => ["Good", " day."];

const shared = fileServer({ engine: say });
const sent = { ...hello, max_tokens: 64 };

describe("an error on an Anthropic path", () => {
  const body = (type: string) => ({
    type: "error",
    error: { type, message: expect.any(String) as string },
    request_id: expect.stringMatching(/^0193/) as string,
  });

  it.each([
    ["without a key", "POST", "", 401, "authentication_error"],
    ["without a key to count", "POST", "/count_tokens", 401, "authentication_error"],
    ["of another method", "GET", "", 405, "invalid_request_error"],
    ["on a path that is not there", "POST", "/nothing", 404, "not_found_error"],
  ])("%s is reported in Anthropic's format", async (_case, method, path, status, type) => {
    const server = shared();
    const response = await fetch(`${server.url}/v1/messages${path}`, { method });
    expect([response.status, await response.json()]).toEqual([status, body(type)]);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ["that is no JSON", "{", {}, 400, "invalid_request_error"],
    ["that is too large", JSON.stringify("x".repeat(70_000)), {}, 413, "request_too_large"],
    ["of another type", "{}", { "content-type": "text/plain" }, 415, "invalid_request_error"],
  ])("is reported in Anthropic's format for a body %s", async (_case, text, headers, status, type) => {
    const response = await postMessage(shared(), text, "", headers);
    expect([response.status, await response.json()]).toEqual([status, body(type)]);
  });

  it("is reported in Anthropic's format while the server closes; errors of other paths are not", async () => {
    const server = await startServer({
      engine: () => ["Good", gate().opened],
      config: { shutdownGraceMs: 60_000 },
    });
    const busy = await postMessage(server, { ...sent, stream: true });
    void server.close();
    const refused = await postMessage(server, sent);
    expect([refused.status, await refused.json()]).toEqual([529, body("overloaded_error")]);
    await busy.body?.cancel();
    const other = await fetch(`${shared().url}/v1/messagesque`);
    expect(await other.json()).toHaveProperty("code");
  });

  it("contains Anthropic's name for the field of an unsupported schema", async () => {
    const server = shared();
    const bad = { type: "object", properties: { a: { $ref: "#/nowhere" } } };
    const format = { type: "json_schema", schema: bad };
    const messages: string[] = [];
    for (const fields of [
      { output_config: { format } },
      { output_format: format },
      { tools: [weather, { ...weather, name: "g", input_schema: bad }] },
    ]) {
      const response = await postMessage(server, { ...sent, ...fields });
      expect(response.status).toBe(400);
      messages.push(((await response.json()) as { error: { message: string } }).error.message);
    }
    expect(messages.map((message) => message.split(": ")[0])).toEqual([
      "output_config.format.schema",
      "output_format.schema",
      "tools.1.input_schema",
    ]);
  });
});
