import { describe, expect, it } from "vitest";
import { body, hello, refusal } from "./requests.js";

describe("a chat request", () => {
  const tool = { type: "function", function: { name: "f", parameters: {} } };
  const says = (role: string, fields: object) => ({ messages: [hello, { role, ...fields }] });
  it.each<[string, Record<string, unknown>]>([
    ["tools", { tools: [tool] }],
    ["tools", { tools: [{ type: "live_search" }] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tool_choice: { type: "function", function: { name: "f" } } }],
    ["functions", { functions: [{ name: "f" }] }],
    ["function_call", { function_call: { name: "f" } }],
    ["response_format", { response_format: { type: "json_object" } }],
    ["response_format", { response_format: { type: "json_schema", json_schema: { name: "n", schema: {} } } }],
    ["logprobs", { logprobs: true }],
    ["top_logprobs", { top_logprobs: 2 }],
    ["n", { n: 2 }],
    ["logit_bias", { logit_bias: { "7": -100 } }],
    ["deferred", { deferred: true }],
    ["web_search_options", { web_search_options: {} }],
    ["search_parameters", { search_parameters: { mode: "on" } }],
    ["modalities", { modalities: ["text", "audio"] }],
    [
      "messages.1.content.0",
      says("user", { content: [{ type: "image_url", image_url: { url: "data:," } }] }),
    ],
    [
      "messages.1.content.1",
      says("user", {
        content: [
          { type: "text", text: "x" },
          { type: "file", file: {} },
        ],
      }),
    ],
    ["messages.1.content.0", says("user", { content: [{ type: "input_audio", input_audio: {} }] })],
    ["messages.1.content.0", says("user", { content: [{ type: "refusal", refusal: "no" }] })],
    [
      "messages.1.tool_calls",
      says("assistant", {
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      }),
    ],
    ["messages.1.function_call", says("assistant", { function_call: { name: "f", arguments: "{}" } })],
    ["messages.1.role", says("tool", { content: "x", tool_call_id: "c" })],
    ["messages.1.role", says("function", { content: "x", name: "f" })],
  ])("that asks for %s, which is not served yet, is told so by name", (param, fields) => {
    const error = refusal(body(fields));
    expect([error.kind, error.param, error.code]).toEqual(["invalid_value", param, "unsupported_parameter"]);
    expect(error.message.startsWith(`${param}: `)).toBe(true);
  });
});
