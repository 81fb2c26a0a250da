import { describe, expect, it } from "vitest";
import { body, hello, errorOf } from "./requests.js";

describe("a chat request", () => {
  const says = (role: string, fields: object) => ({ messages: [hello, { role, ...fields }] });
  it.each<[string, Record<string, unknown>]>([
    ["tools", { tools: [{ type: "live_search" }] }],
    ["search_parameters", { search_parameters: { mode: "on" } }],
    ["modalities", { modalities: ["text", "audio"] }],
    [
      "messages.1.content.0",
      says("assistant", { content: [{ type: "image_url", image_url: { url: "data:," } }] }),
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
    [
      "messages.1.content.0",
      says("assistant", {
        content: [{ type: "input_audio", input_audio: { data: "", format: "wav" } }],
      }),
    ],
    ["messages.1.content.0", says("user", { content: [{ type: "refusal", refusal: "no" }] })],
  ])("with %s, which is not supported, is rejected with the name of the field", (param, fields) => {
    const error = errorOf(body(fields));
    expect([error.kind, error.param, error.code]).toEqual(["invalid_value", param, "unsupported_parameter"]);
    expect(error.message.startsWith(`${param}: `)).toBe(true);
  });
});
