import { describe, expect, it } from "vitest";
import { internet, type Internet } from "../../../network/servers.js";
import { pdfOf } from "../../../kit/models/pdf-writer.js";
import { startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { anthropicOf } from "../../anthropic.js";
import OpenAI from "openai";

const model = "ember-1m";
const letter = pdfOf([["The code is 4711."]]);

/** Returns the prompt of a request with a file of this URL, by client, and the field that has the URL. */
const prompts = {
  responses: {
    param: "input.0.content.0.file_url",
    ask: async (server: { readonly url: string }, url: string) => {
      const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
      const content = [{ type: "input_file" as const, file_url: url }];
      return (await client.responses.create({ model, input: [{ role: "user", content }] })).output_text;
    },
  },
  messages: {
    param: "messages.0.content.0.source.url",
    ask: async (server: Parameters<typeof anthropicOf>[0], url: string) => {
      const content = [{ type: "document" as const, source: { type: "url" as const, url } }];
      const messages = [{ role: "user" as const, content }];
      const answer = await anthropicOf(server).messages.create({ model, max_tokens: 999, messages });
      return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
  },
};

async function start(web?: Internet) {
  return startServer({
    engine: (prompt) => [prompt],
    ...(web === undefined ? {} : { fileFetcher: web.fetcher }),
  });
}

describe.each(Object.entries(prompts))("a file that %s name by a URL", (_, { param, ask }) => {
  it.each([
    ["a PDF", letter, "[Page 1]\nThe code is 4711."],
    ["a text", Buffer.from("# The word is cobalt"), "# The word is cobalt"],
  ])("stands in the prompt when it is %s", async (_, bytes, text) => {
    const web = await internet((_, response) => response.end(bytes), { fetches: "files" });
    expect(await ask(await start(web), "http://files.example/a")).toContain(text);
    expect(web.requests[0]?.headers.accept).toContain("application/pdf");
    expect(web.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("A1: is not fetched from a private address, whatever the operator allows", async () => {
    const web = await internet((_, response) => response.end(letter), { fetches: "files" });
    const server = await start(web);
    for (const host of ["127.0.0.1", "169.254.169.254", "[::1]", "10.0.0.1"])
      await expect(ask(server, `http://${host}/a.pdf`)).rejects.toThrow(`${param}: could not be fetched`);
    expect(web.dialled).toEqual([]);
  });

  it("is not fetched at all unless imageFetch allows its host", async () => {
    await expect(ask(await start(), "https://files.example/a.pdf")).rejects.toThrow(
      `${param}: must be a data: URL; this server fetches no files (setting imageFetch)`,
    );
    const web = await internet((_, response) => response.end(letter), {
      fetches: "files",
      allowed: ["a.example"],
    });
    await expect(ask(await start(web), "http://b.example/")).rejects.toThrow("fetches no files from");
    expect(web.dialled).toEqual([]);
  });

  it("is refused by the name of the field when it is neither PDF nor text", async () => {
    const web = await internet((_, response) => response.end(Buffer.from([0xff, 0xd8, 0xff, 0])), {
      fetches: "files",
    });
    await expect(ask(await start(web), "http://files.example/a")).rejects.toThrow(
      `${param}: files that are neither PDF nor text in UTF-8 are not supported`,
    );
  });

  it("is refused when it is larger than 10 MiB", async () => {
    const web = await internet((_, response) => response.end(Buffer.alloc(10 * 1024 * 1024 + 1, "x")), {
      fetches: "files",
    });
    await expect(ask(await start(web), "http://files.example/a")).rejects.toThrow(`${param}: is larger than`);
  });
});
