import { describe, expect, it } from "vitest";
import { body, hello, refusal, requestOf } from "./requests.js";

const text = (said: string) => ({ type: "text", text: said, cache_control: { type: "ephemeral" } });
const call = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Bern" } };
const result = (fields: object) => ({ type: "tool_result", tool_use_id: "toolu_1", ...fields });

function messagesOf(messages: readonly object[], fields: object = {}) {
  return requestOf({ ...fields, messages }).messages;
}

describe("the conversation of a messages request", () => {
  it("begins with the system prompt, given as text or as blocks", () => {
    const said = messagesOf([hello], { system: "Be brief." });
    expect(said).toEqual([{ role: "system", content: "Be brief." }, hello]);
    const blocks = messagesOf([hello], { system: [text("Be brief."), text("Rhyme.")] });
    expect(blocks[0]).toEqual({ role: "system", content: "Be brief.\n\nRhyme." });
  });

  it("takes system messages among the others", () => {
    const turns = [hello, { role: "system", content: "Now rhyme." }, hello];
    expect(messagesOf(turns)).toEqual(turns);
    expect(messagesOf([{ role: "system", content: "B" }, hello], { system: "A" })[0]?.content).toBe("A\n\nB");
  });

  it("joins turns of one role that follow one another", () => {
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

  it("carries calls, results and thinking from turn to turn", () => {
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
    ["in words", { content: "Rain" }, "Rain"],
    ["of nothing", {}, ""],
    ["of an error", { content: "no such city", is_error: true }, "Error: no such city"],
    ["of an error without a word", { is_error: true }, "Error"],
  ])("tells the model of a result %s", (_case, fields, content) => {
    const messages = messagesOf([{ role: "user", content: [result(fields)] }]);
    expect(messages).toEqual([{ role: "tool", content, toolCallId: "toolu_1" }]);
  });

  it("reads a document that is text, with its title and context", () => {
    const source = { type: "text", media_type: "text/plain", data: "Once upon a time." };
    const document = { type: "document", source, title: "Tale", context: "For children." };
    const messages = messagesOf([{ role: "user", content: [document, text("Who?")] }]);
    expect(messages[0]?.content).toBe("Tale\nFor children.\nOnce upon a time.\n\nWho?");
  });

  it("keeps a message that says nothing, and no half characters", () => {
    expect(messagesOf([{ role: "user", content: [] }])).toEqual([{ role: "user", content: "" }]);
    expect(messagesOf([{ role: "user", content: "half \ud83d a pair" }])[0]?.content).toBe(
      "half \ufffd a pair",
    );
  });
});

describe("a last turn of the assistant", () => {
  const begun = (content: unknown, fields: object = {}) =>
    body({ ...fields, messages: [hello, { role: "assistant", content }] });

  it("is what the answer begins with", () => {
    const { messages, prefill } = requestOf(begun([text("The answer"), text(" is")]));
    expect(messages).toEqual([hello]);
    expect(prefill).toBe("The answer is");
  });

  it("is nothing where it is empty", () => {
    const request = requestOf(begun(""));
    expect(request.messages).toEqual([hello]);
    expect(request).not.toHaveProperty("prefill");
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["ends with white space", begun("The answer is "), "messages.1"],
    ["calls a tool", begun([text("Hm."), call]), "messages.1.content.1"],
    ["thinks", begun([{ type: "thinking", thinking: "Hm.", signature: "" }]), "messages.1.content.0"],
    ["is to be thought about", begun("So", { thinking: { type: "adaptive" } }), "messages.1"],
    [
      "is to follow a schema",
      begun("{", { output_config: { format: { type: "json_schema", schema: {} } } }),
      "messages.1",
    ],
  ])("is refused by name where it %s", (_case, request, param) => {
    const error = refusal(request);
    expect([error.kind, error.param]).toEqual(["invalid_value", param]);
  });
});
