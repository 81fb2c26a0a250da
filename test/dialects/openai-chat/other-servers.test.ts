import { describe, expect, it } from "vitest";
import { parseChatRequest } from "../../../src/dialects/openai-chat/parse.js";
import { body, errorOf, hello } from "./requests.js";

const requestOf = (fields: object) => parseChatRequest(body(fields)).request;

describe("a chat request", () => {
  it("has one format of its text", () => {
    const schema = { type: "object" };
    const grammar = 'root ::= "yes"';
    expect(errorOf(body({ guided_json: "{" })).param).toBe("guided_json");
    expect(errorOf(body({ grammar, guided_json: schema })).param).toBe("grammar");
    expect(errorOf(body({ grammar, response_format: { type: "json_object" } })).param).toBe("grammar");
  });

  it("has tools and a choice in the flat forms of other interfaces", () => {
    const parameters = { type: "object", properties: {} };
    const flat = { type: "function", name: "look", parameters };
    const nested = { type: "function", function: { name: "look", parameters } };
    const required = { mode: "required", names: ["look"] };
    for (const [tools, choice, toolChoice] of [
      [[flat], undefined, { mode: "auto" }],
      [[nested], "any", { mode: "required", names: null }],
      [[nested], { type: "any" }, { mode: "required", names: null }],
      [[nested], { type: "auto" }, { mode: "auto" }],
      [[flat], { type: "function", name: "look" }, required],
      [[nested], { type: "tool", name: "look" }, required],
    ] as const)
      expect(requestOf({ tools, tool_choice: choice })).toMatchObject({
        tools: [{ name: "look" }],
        toolChoice,
      });
    expect(errorOf(body({ tools: [{ type: "function" }] })).param).toBe("tools.0.function");
    expect(errorOf(body({ tools: [flat], tool_choice: { type: "function" } })).param).toBe(
      "tool_choice.function",
    );
  });

  it("has calls without ids, with arguments as an object or none, and results without content", () => {
    const call = (given: unknown) => ({ id: null, function: { name: "look", arguments: given } });
    const { messages } = requestOf({
      messages: [
        hello,
        { role: "assistant", content: null, tool_calls: [call({ at: 1 }), call(null), call("")] },
        { role: "tool", content: null },
        { role: "tool" },
      ],
    });
    const [, assistant, first, second] = messages;
    expect(assistant?.toolCalls?.map((each) => each.arguments)).toEqual(['{"at":1}', "{}", ""]);
    const ids = assistant?.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(3);
    expect([first?.toolCallId, second?.toolCallId]).toEqual(ids.slice(0, 2));
  });

  it("has the reasoning of an earlier answer under the names that servers give it", () => {
    for (const fields of [
      { reasoning_content: "Hm." },
      { reasoning: "Hm." },
      {
        reasoning_details: [
          { type: "reasoning.text", text: "H" },
          { type: "reasoning.summary", summary: "m." },
        ],
      },
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
          { type: "text", text: "Yes" },
        ],
      },
    ]) {
      const { messages } = requestOf({
        messages: [hello, { role: "assistant", content: "Yes", ...fields }, hello],
      });
      expect([fields, messages[1]]).toMatchObject([fields, { content: "Yes", reasoning: "Hm." }]);
    }
  });

  it("has images as a text, and parts as in responses", () => {
    const url = "data:image/png;base64,AAAA";
    const content = [
      { type: "input_text", text: "Look: " },
      { type: "image_url", image_url: url },
      { type: "input_image", image_url: url, detail: "original" },
    ];
    const [message] = requestOf({ messages: [{ role: "user", content }] }).messages;
    expect(message).toMatchObject({
      content: "Look: ",
      images: [
        { url, detail: "auto" },
        { url, detail: "original" },
      ],
    });
  });
});
