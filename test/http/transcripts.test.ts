import { describe, expect, it } from "vitest";
import { fixture } from "../dialects/fixture.js";
import { type ScriptedServer, startServer } from "../kit/server.js";
import { headersOf, hello } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { gate } from "../kit/until.js";

const ping = /ping\W+$/;
/** Lines have no comments: the ping of such a stream is a line without text. */
const emptyLine = /"(content|response)":"".*"done":false\}\n$/;

/** The streaming routes with a request for each, and the end of a stream that has just sent a ping; the answer begins with "Good". */
const routes = [
  ["openai-chat", "/v1/chat/completions", hello, ping],
  ["openai-completions", "/v1/completions", { model: "ember-1m", prompt: "Hello" }, ping],
  ["anthropic-messages", "/v1/messages", { ...hello, max_tokens: 64 }, ping],
  [
    "anthropic-complete",
    "/v1/complete",
    { model: "ember-1m", prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 64 },
    ping,
  ],
  ["ollama-chat", "/api/chat", hello, emptyLine],
  ["ollama-generate", "/api/generate", { model: "ember-1m", prompt: "Hello" }, emptyLine],
] as const;

function streamed({ url }: ScriptedServer, path: string, body: object): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { ...headersOf(keys.ada), "x-request-id": "req-7" },
    body: JSON.stringify({ ...body, stream: true }),
  });
}

describe.each(routes)("a golden transcript of %s over HTTP", (dialect, path, body, isPinged) => {
  it("matches an answer that fails half-way byte for byte, with an error instead of its end", async () => {
    const server = await startServer({ engine: () => ["Good", new Error("lost /var/lib/device")] });
    const text = await (await streamed(server, path, body)).text();
    expect(text).toBe(fixture(dialect, "http-failure-stream.txt"));
  });

  it("matches an answer that pauses byte for byte, with a ping that no client takes for text", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const response = await streamed(server, path, body);
    let text = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (!text.includes("Good") || text.includes("day")) continue;
      if (isPinged.test(text)) wait.open();
      else server.clock.advance(20_000);
    }
    expect(text).toBe(fixture(dialect, "http-ping-stream.txt"));
  });
});
