import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import { generationRequest, parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { body, errorOf, weather } from "./requests.js";

const items = (...input: unknown[]) => body({ input });
const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };

describe("an invalid responses request", () => {
  it("is rejected as a client error, whatever its content", () => {
    const words =
      "message function_call function_call_output reasoning item_reference compaction web_search_call input_text output_text refusal input_image user assistant function allowed_tools json_schema auto";
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>(null, true, -1, 0.5, 20, "", "x ", ...words.split(" ")),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            ..."type role content text id call_id name arguments output summary encrypted_content tools mode format schema".split(
              " ",
            ),
          ),
          tie("any"),
          { maxKeys: 5 },
        ),
      ),
    })).any;
    const field = fc.constantFrom(
      ..."model input instructions tools tool_choice text reasoning include metadata truncation background prompt conversation".split(
        " ",
      ),
    );
    const requests = fc.oneof(
      value,
      fc.dictionary(field, value).map((fields) => body(fields)),
      fc.array(value, { minLength: 1, maxLength: 3 }).map((input) => body({ input })),
      fc.array(value, { maxLength: 3 }).map((content) => items({ role: "user", content })),
      fc
        .array(value, { maxLength: 2 })
        .map((output) => items({ ...call, type: "function_call_output", output })),
      fc.array(value, { minLength: 1, maxLength: 2 }).map((tools) => body({ tools })),
    );
    const fault = (request: unknown): unknown => {
      try {
        const parsed = parseResponsesRequest(request);
        generationRequest(parsed, parsed.input);
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
    ["no model", { input: "hi" }, "model"],
    ["no input", { model: "m" }, "input"],
    ["an input that is a number", body({ input: 5 }), "input"],
    ["an item that is a string", items("hi"), "input.0"],
    ["a message without a role", items({ content: "hi" }), "input.0.role"],
    ["a message without content", items({ role: "user" }), "input.0.content"],
    [
      "a part without text",
      items({ role: "user", content: [{ type: "input_text" }] }),
      "input.0.content.0.text",
    ],
    ["a call without a name", items({ ...call, name: undefined }), "input.0.name"],
    ["a result without an id", items(call, { type: "function_call_output", output: "" }), "input.1.call_id"],
    ["a reference without an id", items({ type: "item_reference" }), "input.0.id"],
    ["a compaction without a summary", items({ type: "compaction" }), "input.0.encrypted_content"],
    ["a fractional number of tokens", body({ max_output_tokens: 1.5 }), "max_output_tokens"],
    ["instructions that are a list", body({ instructions: [] }), "instructions"],
    ["a tool without a name", body({ tools: [{ type: "function" }] }), "tools.0.name"],
    ["a tool without a type", body({ tools: [{ name: "f" }] }), "tools.0.type"],
    [
      "a format without its schema",
      body({ text: { format: { type: "json_schema", name: "n" } } }),
      "text.format.schema",
    ],
    ["metadata with numbers", body({ metadata: { a: 1 } }), "metadata.a"],
    ["an include that is a string", body({ include: "x" }), "include"],
  ])("with %s is rejected as invalid_field with the name of the field", (_case, value, param) => {
    const error = errorOf(value);
    expect([error.kind, error.param]).toEqual(["invalid_field", param]);
  });

  const image = { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" };
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ""]));
  const result = { type: "function_call_output", call_id: "c" };
  const choice = (tool_choice: unknown) => ({ tools: [weather], tool_choice });

  it.each<[string, object, string, RegExp]>([
    ["an empty model", { model: "" }, "model", /must not be empty/],
    ["an empty input", { input: [] }, "input", /must not be empty/],
    ["too many items", { input: new Array(10_001).fill(0) }, "input", /at most 10000/],
    ["an unknown role", { input: [{ role: "critic", content: "" }] }, "input.0.role", /must be one of/],
    ["an unknown item", { input: [{ type: "smell" }] }, "input.0.type", /not a known value/],
    [
      "an unknown part",
      { input: [{ role: "user", content: [{ type: "smell" }] }] },
      "input.0.content.0.type",
      /not a known value/,
    ],
    [
      "an image in an assistant message",
      { input: [{ role: "assistant", content: [image] }] },
      "input.0.content.0",
      /'input_image'/,
    ],
    [
      "a file",
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
      "input.0.content.0",
      /'input_file'/,
    ],
    [
      "an uploaded image in a tool result",
      { input: [{ ...result, output: [{ type: "input_image", file_id: "f" }] }] },
      "input.0.output.0.file_id",
      /uploaded are not supported/,
    ],
    [
      "a summary of another server",
      { input: [{ type: "compaction", encrypted_content: "gAAAA" }] },
      "input.0.encrypted_content",
      /not made by this server/,
    ],
    [
      "nothing but a hosted tool of which one must be called",
      { tools: [{ type: "web_search" }], tool_choice: "required" },
      "tools.0.type",
      /'web_search'/,
    ],
    ["a tool of an unknown type", { tools: [{ type: "telepathy" }] }, "tools.0.type", /'telepathy'/],
    [
      "an MCP server where none is used",
      { tools: [weather, { type: "mcp", server_label: "m", server_url: "https://m.example" }] },
      "tools.1.type",
      /'mcp'/,
    ],
    ["two tools with the same name", { tools: [weather, weather] }, "tools.1.name", /another tool/],
    ["a required choice without tools", { tool_choice: "required" }, "tool_choice", /needs tools/],
    ["a choice of an unknown tool", choice({ type: "function", name: "g" }), "tool_choice", /'g'/],
    [
      "an empty list of allowed tools",
      choice({ type: "allowed_tools", mode: "auto", tools: [] }),
      "tool_choice",
      /at least one/,
    ],
    ["a choice of a hosted tool", choice({ type: "web_search" }), "tool_choice", /'web_search'/],
    ["live search", { search_parameters: { mode: "on" } }, "search_parameters", /live search/],
    ["a stored prompt", { prompt: { id: "p" } }, "prompt", /not supported/],
    [
      "a conversation together with a previous response",
      { conversation: "c", previous_response_id: "r" },
      "conversation",
      /previous_response_id/,
    ],
    [
      "a conversation of a response that is not stored",
      { conversation: "c", store: false },
      "conversation",
      /stored/,
    ],
    [
      "unknown context management",
      { context_management: [{ type: "clear" }] },
      "context_management.0.type",
      /compaction/,
    ],
    ["a background response that is not stored", { background: true, store: false }, "background", /stored/],
    ["too high a temperature", { temperature: 2.1 }, "temperature", /between 0 and 2/],
    ["too many alternatives", { top_logprobs: 21 }, "top_logprobs", /between 0 and 20/],
    ["a limit of 0 tokens", { max_output_tokens: 0 }, "max_output_tokens", /at least 1/],
    ["an unknown truncation", { truncation: "some" }, "truncation", /must be one of/],
    ["an unknown effort", { reasoning: { effort: "most" } }, "reasoning.effort", /must be one of/],
    ["an unknown format", { text: { format: { type: "xml" } } }, "text.format.type", /not a known value/],
    ["17 pairs of metadata", { metadata: pairs(17) }, "metadata", /at most 16/],
    ["a long key", { metadata: { ["k".repeat(65)]: "" } }, "metadata", /at most 64/],
    ["a long value", { metadata: { a: "v".repeat(513) } }, "metadata.a", /at most 512/],
    ["a long user", { user: "u".repeat(513) }, "user", /at most 512/],
  ])("with %s is rejected as invalid_value with the name of the field", (_case, fields, param, words) => {
    const error = errorOf(body(fields));
    expect([error.kind, error.param]).toEqual(["invalid_value", param]);
    expect(error.message).toMatch(words);
  });

  it("does not include one with all values at their limits", () => {
    const fits = { metadata: { ...pairs(15), ["k".repeat(64)]: "v".repeat(512) }, user: "u".repeat(512) };
    expect(() => parseResponsesRequest(body(fits))).not.toThrow();
  });
});
