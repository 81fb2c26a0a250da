import { describe, expect, it } from "vitest";
import { parseMessagesRequest } from "../../../src/dialects/anthropic-messages/parse.js";
import { body, hello, errorOf, requestOf } from "./requests.js";

const text = (said: string) => ({ type: "text", text: said, cache_control: { type: "ephemeral" } });
const call = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Bern" } };
const result = (fields: object) => ({ type: "tool_result", tool_use_id: "toolu_1", ...fields });

function messagesOf(messages: readonly object[], fields: object = {}) {
  return requestOf({ ...fields, messages }).messages;
}

describe("the conversation of a messages request", () => {
  it("begins with the system prompt, given as text or as blocks", () => {
    const messages = messagesOf([hello], { system: "Be brief." });
    expect(messages).toEqual([{ role: "system", content: "Be brief." }, hello]);
    const blocks = messagesOf([hello], { system: [text("Be brief."), text("Rhyme.")] });
    expect(blocks[0]).toEqual({ role: "system", content: "Be brief.\n\nRhyme." });
  });

  it("accepts system messages at any position", () => {
    const turns = [hello, { role: "system", content: "Now rhyme." }, hello];
    expect(messagesOf(turns)).toEqual(turns);
    expect(messagesOf([{ role: "system", content: "B" }, hello], { system: "A" })[0]?.content).toBe("A\n\nB");
  });

  it("merges adjacent turns of the same role", () => {
    const turns = [
      hello,
      { role: "user", content: [text("Anyone?")] },
      { role: "assistant", content: "Yes." },
      hello,
    ];
    expect(messagesOf(turns)).toEqual([
      { role: "user", content: "Hello\n\nAnyone?" },
      { role: "assistant", content: "Yes." },
      hello,
    ]);
  });

  it("keeps the digits of a number in the input of an earlier call that no double keeps", () => {
    const json = JSON.stringify(body({ messages: [hello, { role: "assistant", content: [call] }, hello] }));
    const long = json.replace('{"city":"Bern"}', '{"id": 9007199254740993}');
    const { request } = parseMessagesRequest(JSON.parse(long), long);
    expect(request.messages[1]?.toolCalls?.[0]?.arguments).toBe('{"id": 9007199254740993}');
    const other = parseMessagesRequest(JSON.parse(json), json);
    expect(other.request.messages[1]?.toolCalls?.[0]?.arguments).toBe('{"city":"Bern"}');
  });

  it("keeps tool calls, results and thinking of earlier turns", () => {
    const messages = messagesOf([
      hello,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Look it up.", signature: "x" },
          { type: "redacted_thinking", data: "x" },
          text("Let me"),
          text(" look."),
          call,
        ],
      },
      { role: "user", content: [result({ content: [text("Rain"), text("12 °C")] }), text("Well?")] },
    ]);
    expect(messages).toEqual([
      hello,
      {
        role: "assistant",
        content: "Let me look.",
        reasoning: "Look it up.",
        toolCalls: [{ id: "toolu_1", name: "get_weather", arguments: '{"city":"Bern"}' }],
      },
      { role: "tool", content: "Rain\n\n12 °C", toolCallId: "toolu_1" },
      { role: "user", content: "Well?" },
    ]);
  });

  it.each<[string, object, string]>([
    ["with text", { content: "Rain" }, "Rain"],
    ["without content", {}, ""],
    ["with an error", { content: "no such city", is_error: true }, "Error: no such city"],
    ["with an error without text", { is_error: true }, "Error"],
  ])("converts a tool result %s", (_case, fields, content) => {
    const messages = messagesOf([{ role: "user", content: [result(fields)] }]);
    expect(messages).toEqual([{ role: "tool", content, toolCallId: "toolu_1" }]);
  });

  it("reads a text document with its title and context", () => {
    const source = { type: "text", media_type: "text/plain", data: "Once upon a time." };
    const document = { type: "document", source, title: "Tale", context: "For children." };
    const messages = messagesOf([{ role: "user", content: [document, text("Who?")] }]);
    expect(messages[0]?.content).toBe("Tale\nFor children.\nOnce upon a time.\n\nWho?");
  });

  it("keeps empty messages and replaces unpaired surrogates", () => {
    expect(messagesOf([{ role: "user", content: [] }])).toEqual([{ role: "user", content: "" }]);
    expect(messagesOf([{ role: "user", content: "half \ud83d a pair" }])[0]?.content).toBe(
      "half \ufffd a pair",
    );
  });
});

describe("a last turn of the assistant", () => {
  const prefilled = (content: unknown, fields: object = {}) =>
    body({ ...fields, messages: [hello, { role: "assistant", content }] });

  it("is the beginning of the answer", () => {
    const { messages, prefill } = requestOf(prefilled([text("The answer"), text(" is")]));
    expect(messages).toEqual([hello]);
    expect(prefill).toBe("The answer is");
  });

  it("is ignored if it is empty", () => {
    const request = requestOf(prefilled(""));
    expect(request.messages).toEqual([hello]);
    expect(request.prefill).toBeUndefined();
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["ends with white space", prefilled("The answer is "), "messages.1"],
    ["calls a tool", prefilled([text("Hm."), call]), "messages.1.content.1"],
    ["thinks", prefilled([{ type: "thinking", thinking: "Hm.", signature: "" }]), "messages.1.content.0"],
    ["is combined with thinking", prefilled("So", { thinking: { type: "adaptive" } }), "messages.1"],
    [
      "is combined with a schema",
      prefilled("{", { output_config: { format: { type: "json_schema", schema: {} } } }),
      "messages.1",
    ],
  ])("is rejected with the name of the field if it %s", (_case, request, param) => {
    const error = errorOf(request);
    expect([error.kind, error.param]).toEqual(["invalid_value", param]);
  });
});
