import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/generation.js";
import { encodeOpaque, decodeOpaque } from "../../../src/dialects/openai-responses/items/opaque-text.js";
import { generationOf } from "./requests.js";

const textItem = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const reasoningItem = (text: string) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text }],
});
const call = (id: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "f",
  arguments: "{}",
});
const called = (...ids: string[]) => ids.map((id) => ({ id, name: "f", arguments: "{}" }));
const result = (id: string, output: unknown) => ({ type: "function_call_output", call_id: id, output });
const user = { role: "user", content: "Hi" } as const;

describe("the conversation of a response", () => {
  it.each<[string, readonly object[], readonly Message[]]>([
    [
      "messages of every role, in short and in full form",
      [
        { role: "system", content: "S" },
        { role: "developer", content: [{ type: "input_text", text: "D" }] },
        { type: "message", role: "user", name: "ada", content: [{ type: "input_text", text: "U" }] },
        { role: "assistant", content: "A", phase: "final_answer" },
      ],
      [
        { role: "system", content: "S" },
        { role: "system", content: "D" },
        { role: "user", content: "U", name: "ada" },
        { role: "assistant", content: "A" },
      ],
    ],
    [
      "parts in order, without a separator",
      [
        {
          role: "user",
          content: [
            { type: "input_text", text: "a" },
            { type: "input_text", text: "b" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "refusal", refusal: "No" },
            { type: "output_text", text: "!" },
          ],
        },
      ],
      [
        { role: "user", content: "ab" },
        { role: "assistant", content: "No!" },
      ],
    ],
    [
      "an answer with its reasoning and tool calls, and the results",
      [
        user,
        reasoningItem("T"),
        textItem("A"),
        call("1"),
        call("2"),
        result("1", "r"),
        result("2", [{ type: "input_text", text: "s" }]),
      ],
      [
        user,
        { role: "assistant", content: "A", reasoning: "T", toolCalls: called("1", "2") },
        { role: "tool", content: "r", toolCallId: "1" },
        { role: "tool", content: "s", toolCallId: "2" },
      ],
    ],
    [
      "an answer with tool calls only",
      [user, call("1"), result("1", "")],
      [
        user,
        { role: "assistant", content: "", toolCalls: called("1") },
        { role: "tool", content: "", toolCallId: "1" },
      ],
    ],
    [
      "a second text, and reasoning after a tool call",
      [textItem("A"), textItem("B"), call("1"), reasoningItem("T"), call("2")],
      [
        { role: "assistant", content: "A" },
        { role: "assistant", content: "B", toolCalls: called("1") },
        { role: "assistant", content: "", reasoning: "T", toolCalls: called("2") },
      ],
    ],
    [
      "several reasoning items in a row, and one at the end of the answer",
      [reasoningItem("T"), reasoningItem("U"), user, reasoningItem("V")],
      [
        { role: "assistant", content: "", reasoning: "T\n\nU" },
        user,
        { role: "assistant", content: "", reasoning: "V" },
      ],
    ],
    [
      "reasoning from its content, its summary or its encrypted content, in that order",
      [
        {
          ...reasoningItem("S"),
          content: [{ type: "reasoning_text", text: "C" }],
          encrypted_content: encodeOpaque("E"),
        },
        textItem("1"),
        { ...reasoningItem("S"), encrypted_content: encodeOpaque("E") },
        textItem("2"),
        { type: "reasoning", summary: [], encrypted_content: encodeOpaque("E") },
        textItem("3"),
      ],
      [
        { role: "assistant", content: "1", reasoning: "C" },
        { role: "assistant", content: "2", reasoning: "S" },
        { role: "assistant", content: "3", reasoning: "E" },
      ],
    ],
    [
      "no reasoning that another server encrypted, without splitting adjacent calls",
      [call("1"), { type: "reasoning", summary: [], encrypted_content: "gAAAA" }, call("2")],
      [{ role: "assistant", content: "", toolCalls: called("1", "2") }],
    ],
    [
      "no call of a tool that a hosted service executed",
      [
        reasoningItem("T"),
        { type: "web_search_call", id: "ws_1", status: "completed", action: {} },
        textItem("A"),
      ],
      [{ role: "assistant", content: "A", reasoning: "T" }],
    ],
    [
      "a summary of earlier items",
      [{ type: "compaction", encrypted_content: encodeOpaque("They met.") }, user],
      [{ role: "system", content: "What was said before, in short:\n\nThey met." }, user],
    ],
    [
      "replacement characters for unpaired surrogates",
      [{ ...call("\ud800"), name: "\udc00", arguments: '"\ud800"' }, result("\ud800", "\udfff")],
      [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "\ufffd", name: "\ufffd", arguments: '"\ufffd"' }],
        },
        { role: "tool", content: "\ufffd", toolCallId: "\ufffd" },
      ],
    ],
  ])("contains %s", (_case, input, expected) => {
    expect(generationOf({ input }).messages).toEqual(expected);
  });

  it("begins with the instructions", () => {
    const [first, ...rest] = generationOf({ instructions: "Be \ud800 brief." }).messages;
    expect(first).toEqual({ role: "system", content: "Be \ufffd brief." });
    expect(rest).toEqual([{ role: "user", content: "Hello" }]);
  });
});

describe("an opaque text", () => {
  it("is decoded unchanged and consists of URL-safe characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(encodeOpaque(text)).toMatch(/^hearth1\.[\w-]*$/);
        expect(decodeOpaque(encodeOpaque(text))).toBe(text);
      }),
    );
  });

  it.each(["", "gAAAAABo", "hearth1.!", "hearth1.YQ==", "hearth1._w", "hearth2.YQ"])(
    "is not decoded from %j",
    (text) => {
      expect(decodeOpaque(text)).toBe(null);
    },
  );
});
