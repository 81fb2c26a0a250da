import { describe, expect, it } from "vitest";
import { fixture } from "../dialects/fixture.js";
import { compose, gate, headersOf, hello, keys, type TestServer } from "./compose.js";

/** The routes that stream, and what each is asked; the answer begins with "Good". */
const routes = [
  ["openai-chat", "/v1/chat/completions", hello],
  ["openai-completions", "/v1/completions", { model: "ember-1m", prompt: "Hello" }],
  ["anthropic-messages", "/v1/messages", { ...hello, max_tokens: 64 }],
  [
    "anthropic-complete",
    "/v1/complete",
    { model: "ember-1m", prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 64 },
  ],
] as const;

function streamed({ url }: TestServer, path: string, body: object): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { ...headersOf(keys.ada), "x-request-id": "req-7" },
    body: JSON.stringify({ ...body, stream: true }),
  });
}

describe.each(routes)("a golden transcript of %s over HTTP", (dialect, path, body) => {
  it("is met to the byte by an answer that fails half-way: an error in place of its end", async () => {
    const server = await compose(() => ["Good", new Error("lost /var/lib/device")]);
    const text = await (await streamed(server, path, body)).text();
    expect(text).toBe(fixture(dialect, "http-failure-stream.txt"));
  });

  it("is met to the byte by an answer that is silent for a while: a ping that no reader takes for text", async () => {
    const wait = gate();
    const server = await compose(() => ["Good", wait.opened, " day."]);
    const response = await streamed(server, path, body);
    let text = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (!text.includes("Good") || text.includes("day")) continue;
      if (/ping\W+$/.test(text)) wait.open();
      else server.clock.advance(20_000);
    }
    expect(text).toBe(fixture(dialect, "http-ping-stream.txt"));
  });
});
