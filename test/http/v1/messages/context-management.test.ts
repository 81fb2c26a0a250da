import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicOf, params, postMessage, weather } from "../../anthropic.js";
import { startScriptedApp } from "../../../scripted-app.js";

type Messages = Anthropic.Beta.BetaMessageParam[];

const call = (id: string): Messages => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "get_weather", input: { city: id } }] },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: `Rain and wind in ${id} all day` }],
  },
];
const messages: Messages = [{ role: "user", content: "Weather?" }, ...call("Bern"), ...call("Oslo")];
const clear_tool_uses = {
  type: "clear_tool_uses_20250919" as const,
  trigger: { type: "tool_uses" as const, value: 1 },
  keep: { type: "tool_uses" as const, value: 1 },
};

async function served() {
  const prompts: string[] = [];
  const server = await startScriptedApp(
    (prompt) => {
      prompts.push(prompt);
      return ["Rain."];
    },
    { contextTokens: 4096 },
  );
  const request = { ...params, messages, tools: [weather], betas: [] };
  return { server, prompts, request, beta: anthropicOf(server).beta.messages };
}

describe("context_management of /v1/messages", () => {
  it("is applied to the prompt, and the answer says what was cleared, whole and streamed", async () => {
    const { beta, prompts, request } = await served();
    const context_management = { edits: [clear_tool_uses] };
    const whole = await beta.create({ ...request, context_management });
    expect(whole.context_management).toEqual({
      applied_edits: [
        {
          type: "clear_tool_uses_20250919",
          cleared_tool_uses: 1,
          cleared_input_tokens: expect.any(Number) as number,
        },
      ],
    });
    expect(prompts[0]).not.toContain("wind in Bern");
    expect(prompts[0]).toContain("wind in Oslo");
    const streamed = await beta.stream({ ...request, context_management }).finalMessage();
    expect(streamed.context_management).toEqual(whole.context_management);
    expect(prompts[1]).toBe(prompts[0]);
  });

  it("says so when no edit was needed, and is absent from answers to requests without it", async () => {
    const { beta, prompts, request } = await served();
    const context_management = { edits: [{ type: "clear_tool_uses_20250919" as const }] };
    const whole = await beta.create({ ...request, context_management });
    expect(whole.context_management).toEqual({ applied_edits: [] });
    expect(prompts[0]).toContain("wind in Bern");
    expect(await beta.create(request)).not.toHaveProperty("context_management");
  });

  it("is applied by count_tokens, which returns both counts", async () => {
    const { beta, request } = await served();
    const { max_tokens: _, ...counted } = request;
    const plain = await beta.countTokens(counted);
    const edited = await beta.countTokens({
      ...counted,
      context_management: { edits: [{ ...clear_tool_uses, keep: { type: "tool_uses", value: 0 } }] },
    });
    expect(plain).toEqual({ input_tokens: plain.input_tokens });
    expect(edited.context_management).toEqual({ original_input_tokens: plain.input_tokens });
    expect(edited.input_tokens).not.toBe(plain.input_tokens);
  });

  it.each([
    [[{ type: "compact_20260112" }], "context_management.edits.0.type"],
    [[{ type: "clear_everything" }], "context_management.edits.0.type"],
    [[clear_tool_uses, { type: "clear_thinking_20251015" }], "context_management.edits.1"],
    [[{ ...clear_tool_uses, keep: { type: "tokens", value: 1 } }], "context_management.edits.0.keep.type"],
    [
      [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 0 } }],
      "context_management.edits.0.keep",
    ],
  ])("is refused with the name of the field: %j", async (edits, param) => {
    const { server, request } = await served();
    const response = await postMessage(server, { ...request, context_management: { edits } });
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    expect(response.status).toBe(400);
    expect(error.message).toContain(param);
  });
});
