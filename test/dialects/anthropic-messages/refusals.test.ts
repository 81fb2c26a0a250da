import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { parseMessagesRequest } from "../../../src/dialects/anthropic-messages/parse.js";
import { body, hello, errorOf, weather } from "./requests.js";

describe("an invalid messages request", () => {
  it("is rejected as a client error, whatever its content", () => {
    const words = "text image document tool_use tool_result thinking user assistant system enabled any tool";
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>(null, true, -1, 0.5, 2000, "", "x ", ...words.split(" ")),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            ..."type role content text thinking name id input source data tool_use_id budget_tokens input_schema schema".split(
              " ",
            ),
          ),
          tie("any"),
          { maxKeys: 5 },
        ),
      ),
    })).any;
    const field = fc.constantFrom(
      ..."model messages system tools tool_choice thinking output_config output_format stop_sequences".split(
        " ",
      ),
    );
    const requests = fc.oneof(
      value,
      fc.dictionary(field, value).map((fields) => body(fields)),
      fc.array(value, { minLength: 1, maxLength: 3 }).map((messages) => body({ messages })),
      fc.array(value, { maxLength: 3 }).map((content) => body({ messages: [{ role: "user", content }] })),
      fc
        .array(value, { maxLength: 3 })
        .map((content) => body({ messages: [{ role: "assistant", content }] })),
    );
    const fault = (request: unknown): unknown => {
      try {
        parseMessagesRequest(request);
        return null;
      } catch (thrown) {
        return thrown;
      }
    };
    fc.assert(
      fc.property(requests, (request) => {
        const thrown = fault(request);
        if (thrown === null) return;
        expect(thrown).toBeInstanceOf(HearthError);
        expect((thrown as HearthError).kind).toMatch(/^invalid_(field|value)$/);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, unknown, string | null]>([
    ["a body that is not an object", [], null],
    ["no model", { max_tokens: 1, messages: [hello] }, "model"],
    ["no messages", { model: "m", max_tokens: 1 }, "messages"],
    ["a message that is a string", body({ messages: ["hi"] }), "messages.0"],
    ["a user without content", body({ messages: [{ role: "user" }] }), "messages.0.content"],
    [
      "a text block without text",
      body({ messages: [{ role: "user", content: [{ type: "text" }] }] }),
      "messages.0.content.0.text",
    ],
    [
      "a tool result with a text block without text",
      body({
        messages: [
          hello,
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text" }] }] },
        ],
      }),
      "messages.1.content.0.content.0.text",
    ],
    ["a fractional number of tokens", body({ max_tokens: 1.5 }), "max_tokens"],
    ["a system prompt that is a number", body({ system: 5 }), "system"],
    ["stop_sequences that are a string", body({ stop_sequences: "END" }), "stop_sequences"],
    ["a missing budget", body({ thinking: { type: "enabled" } }), "thinking.budget_tokens"],
    ["a missing schema", body({ output_format: { type: "json_schema" } }), "output_format.schema"],
  ])("with %s is rejected as invalid_field with the name of the field", (_case, value, param) => {
    const error = errorOf(value);
    expect([error.kind, error.param]).toEqual(["invalid_field", param]);
  });

  const withContent = (...content: object[]) => ({ messages: [{ role: "user", content }] });
  const image = { type: "image", source: { type: "file", file_id: "f" } };
  const result = { type: "tool_result", tool_use_id: "toolu_1" };

  it.each<[string, object, string, RegExp]>([
    ["empty messages", { messages: [] }, "messages", /must not be empty/],
    [
      "an unknown role",
      { messages: [{ role: "critic", content: "x" }] },
      "messages.0.role",
      /not a known value/,
    ],
    ["an unknown block", withContent({ type: "smell" }), "messages.0.content.0.type", /not a known value/],
    [
      "an uploaded image",
      withContent({ type: "text", text: "?" }, image),
      "messages.0.content.1.source",
      /uploaded are not supported/,
    ],
    [
      "an uploaded image in a tool result",
      withContent({ ...result, content: [image] }),
      "messages.0.content.0.content.0.source",
      /uploaded are not supported/,
    ],
    [
      "a document that is not text",
      withContent({ type: "document", source: { type: "base64", data: "", media_type: "image/png" } }),
      "messages.0.content.0.source",
      /'base64' are not supported/,
    ],
    ["max_tokens -2", { max_tokens: -2 }, "max_tokens", /between -1 and/],
    ["temperature 2.1", { temperature: 2.1 }, "temperature", /between 0 and 2/],
    ["top_k -2", { top_k: -2 }, "top_k", /between -1 and/],
    ["an empty stop", { stop_sequences: [""] }, "stop_sequences.0", /must not be empty/],
    ["65 stops", { stop_sequences: Array(65).fill("a") }, "stop_sequences", /at most 64/],
    [
      "a small budget",
      { thinking: { type: "enabled", budget_tokens: 1023 } },
      "thinking.budget_tokens",
      /at least 1024/,
    ],
    [
      "a budget that leaves no tokens for the answer",
      { thinking: { type: "enabled", budget_tokens: 4096 } },
      "thinking.budget_tokens",
      /less than max_tokens/,
    ],
    ["an unknown type of thinking", { thinking: { type: "hard" } }, "thinking.type", /not a known value/],
    [
      "a tool of an unknown type",
      { tools: [{ type: "telepathy_1", name: "f" }] },
      "tools.0.type",
      /telepathy_1/,
    ],
    [
      "nothing but a server tool of which one must be called",
      { tools: [{ type: "web_search_20250305", name: "web_search" }], tool_choice: { type: "any" } },
      "tools.0.type",
      /web_search_20250305/,
    ],
    [
      "a server tool that must be called",
      {
        tools: [weather, { type: "web_search_20250305", name: "web_search" }],
        tool_choice: { type: "tool", name: "web_search" },
      },
      "tools.1.type",
      /web_search_20250305/,
    ],
    ["a tool without a schema", { tools: [{ name: "f" }] }, "tools.0.input_schema", /is required/],
    ["two tools with the same name", { tools: [weather, weather] }, "tools.1.name", /name of another tool/],
    [
      "a choice of an unknown tool",
      { tools: [weather], tool_choice: { type: "tool", name: "g" } },
      "tool_choice.name",
      /'g' is not among the tools/,
    ],
    ["a required choice without tools", { tool_choice: { type: "any" } }, "tool_choice", /needs tools/],
    [
      "MCP servers where none can be used",
      { mcp_servers: [{ type: "url", url: "https://a.example", name: "a" }] },
      "mcp_servers",
      /not supported/,
    ],
    [
      "a toolset where no MCP server can be used",
      { tools: [{ type: "mcp_toolset", mcp_server_name: "a" }] },
      "tools.0.type",
      /not supported/,
    ],
  ])("with %s is rejected as invalid_value with the name of the field", (_case, fields, param, message) => {
    const error = errorOf(body(fields));
    expect([error.kind, error.param]).toEqual(["invalid_value", param]);
    expect(error.message).toMatch(message);
  });
});
