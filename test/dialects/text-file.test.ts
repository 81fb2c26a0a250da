import { describe, expect, it } from "vitest";
import { toHearthError, type HearthError } from "../../src/core/errors.js";
import { parseMessagesRequest } from "../../src/dialects/anthropic-messages/parse.js";
import { parseChatRequest } from "../../src/dialects/openai-chat/parse.js";
import { generationRequest, parseResponsesRequest } from "../../src/dialects/openai-responses/parse.js";
import { startServer } from "../kit/server.js";
import { headersOf } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";

const encoded = (text: string | Uint8Array) => Buffer.from(text).toString("base64");

/** Returns the prompt of a request with one file, by dialect. */
const prompts = {
  chat: (data: string, filename?: string) => {
    const content = [
      { type: "text", text: "Read" },
      { type: "file", file: { file_data: data, filename } },
    ];
    return parseChatRequest({ model: "m", messages: [{ role: "user", content }] }).request.messages;
  },
  responses: (data: string, filename?: string) => {
    const content = [
      { type: "input_text", text: "Read" },
      { type: "input_file", file_data: data, filename },
    ];
    const request = parseResponsesRequest({ model: "m", input: [{ role: "user", content }] });
    return generationRequest(request, request.input).messages;
  },
  messages: (data: string, filename?: string) => {
    const source = { type: "base64", media_type: "text/plain", data };
    const content = [
      { type: "text", text: "Read" },
      { type: "document", source, title: filename },
    ];
    return parseMessagesRequest({ model: "m", max_tokens: 9, messages: [{ role: "user", content }] }).request
      .messages;
  },
};

function errorOf(parse: () => unknown): HearthError {
  try {
    parse();
  } catch (thrown) {
    return toHearthError(thrown);
  }
  throw new Error("nothing was refused");
}

describe.each(Object.entries(prompts))("a text file in %s", (dialect, prompt) => {
  it("stands in the prompt in its place, with its name", () => {
    const [message] = prompt(encoded("Grüße\nto all"), "day.txt");
    expect(message?.content).toMatch(/^Read\n+day\.txt\nGrüße\nto all\n?$/);
  });

  it.each([
    ["bytes that are no text", encoded(new Uint8Array([0xff, 0xfe, 1, 2])), "neither PDF nor text in UTF-8"],
    ["text with a NUL", encoded("a\0b"), "neither PDF nor text in UTF-8"],
    ["no base64", "%%%", "must be base64"],
  ])("that is %s is refused by the name of its field", (_, data, message) => {
    const error = errorOf(() => prompt(data, "day.txt"));
    expect([error.kind, error.param]).toEqual([
      "invalid_value",
      {
        chat: "messages.0.content.1.file.file_data",
        responses: "input.0.content.1.file_data",
        messages: "messages.0.content.1.source.data",
      }[dialect],
    ]);
    expect(error.message).toContain(message);
  });
});

it("refuses a megabyte of spaces as a file over HTTP, before the test's timeout", async () => {
  const { url } = await startServer({ engine: () => [], httpLimits: { bodyBytesMax: 2 * 1024 * 1024 } });
  const content = [{ type: "file", file: { file_data: `${" ".repeat(1024 * 1024)}!` } }];
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: JSON.stringify({ model: "ember-1m", messages: [{ role: "user", content }] }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param: "messages.0.content.0.file.file_data" } });
});

it("reads a data URL as its base64", () => {
  const url = `data:text/markdown;charset=utf-8;base64,${encoded("# Day")}`;
  expect(prompts.chat(url)[0]?.content).toBe("Read\n# Day\n");
  expect(prompts.responses(url)[0]?.content).toBe("Read\n# Day\n");
});

it("reads a document of text blocks, and refuses images in it", () => {
  const read = (...blocks: object[]) => {
    const content = [{ type: "document", source: { type: "content", content: blocks }, context: "For you:" }];
    return parseMessagesRequest({ model: "m", max_tokens: 9, messages: [{ role: "user", content }] }).request
      .messages;
  };
  const text = (value: string) => ({ type: "text", text: value });
  expect(read(text("One"), text("Two"))[0]?.content).toBe("For you:\nOne\n\nTwo");
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
  expect(errorOf(() => read(text("One"), image)).param).toBe("messages.0.content.0.source.content.1");
});
