import { describe, expect } from "vitest";
import { startServer } from "../kit/server.js";
import { keys } from "../kit/server/six-keys.js";
import { pageScript, resultOf, servePage, test, withoutBrowser } from "./chromium.js";

const say = () => ["Good", " day."];
const messages = `[{ role: "user", content: "Hello" }]`;

/** Runs a script in a page of another origin than a server's, which allows that origin or does not. */
async function inPage(imports: string, body: (url: string) => string, isAllowed = true): Promise<unknown> {
  let script = "";
  // The page asks for its script when it is opened: only then is the address of the server known.
  const page = await servePage(() => script);
  const { url } = await startServer({ engine: say, config: { corsOrigins: isAllowed ? [page] : [] } });
  script = await pageScript(imports, body(url));
  return resultOf(page);
}

describe(`a page in Chromium${withoutBrowser}`, () => {
  test("uses the OpenAI client, whole and streamed, and reads the request id", async () => {
    const result = await inPage(
      `import OpenAI from "openai";`,
      (url) => `
        const client = new OpenAI({ baseURL: "${url}/v1", apiKey: "${keys.ada}", dangerouslyAllowBrowser: true });
        const request = { model: "ember-1m", messages: ${messages} };
        const { data, request_id: id } = await client.chat.completions.create(request).withResponse();
        let streamed = "";
        for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
          streamed += chunk.choices[0]?.delta.content ?? "";
        return { whole: data.choices[0].message.content, streamed, hasId: id.length > 10 };`,
    );
    expect(result).toEqual({ whole: "Good day.", streamed: "Good day.", hasId: true });
  });

  test("uses the Anthropic client, streamed", async () => {
    const result = await inPage(
      `import Anthropic from "@anthropic-ai/sdk";`,
      (url) => `
        const client = new Anthropic({ baseURL: "${url}", apiKey: "${keys.ada}", dangerouslyAllowBrowser: true });
        return client.messages.stream({ model: "ember-1m", max_tokens: 64, messages: ${messages} }).finalText();`,
    );
    expect(result).toBe("Good day.");
  });

  test("uses the Ollama client, streamed", async () => {
    const result = await inPage(
      `import { Ollama } from "ollama/browser";`,
      (url) => `
        const client = new Ollama({ host: "${url}", headers: { Authorization: "Bearer ${keys.ada}" } });
        let text = "";
        for await (const { message } of await client.chat({ model: "ember-1m", messages: ${messages}, stream: true }))
          text += message.content;
        return [text, (await client.list()).models.length > 0];`,
    );
    expect(result).toEqual(["Good day.", true]);
  });

  test("reads the status and the message of an error", async () => {
    const result = await inPage(
      "",
      (url) => `
        const response = await fetch("${url}/v1/models", { headers: { authorization: "Bearer nobody" } });
        return [response.status, (await response.json()).error.code, response.headers.get("www-authenticate")];`,
    );
    expect(result).toEqual([401, "invalid_api_key", "Bearer"]);
  });

  test("cannot read anything where its origin is not allowed", async () => {
    const result = await inPage("", (url) => `return (await fetch("${url}/v1/models")).status;`, false);
    expect(result).toEqual({ thrown: "TypeError: Failed to fetch" });
  });

  test("cannot send a management key, whatever origins are allowed", async () => {
    const ask = (path: string, url: string) =>
      `fetch("${url}${path}", { headers: { authorization: "Bearer hm-key" } }).then(({ status }) => status, String)`;
    const result = await inPage(
      "",
      (url) => `return [await ${ask("/auth/teams", url)}, await ${ask("/v1/models", url)}];`,
    );
    expect(result).toEqual(["TypeError: Failed to fetch", 401]);
  });
});
