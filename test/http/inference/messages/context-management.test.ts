import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicOf, params, postMessage, weather } from "../../anthropic.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { createLimitedTeam, readResponse } from "../../../kit/server/limited.js";

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

async function served(contextTokens = 4096) {
  const prompts: string[] = [];
  const server = await startServer({
    engine: (prompt) => {
      prompts.push(prompt);
      return ["Rain."];
    },
    contextTokens,
  });
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

  it("is applied by count_tokens to a prompt that fits only without what is cleared, as by the answer", async () => {
    const { beta, request } = await served(200);
    const long = [...call("Bern ".repeat(300)), ...call("Oslo")];
    const fields = { ...request, messages: [...messages, ...long] };
    const { max_tokens: _, ...counted } = fields;
    await expect(beta.countTokens(counted)).rejects.toMatchObject({ status: 400 });
    const context_management = { edits: [clear_tool_uses] };
    const answer = await beta.create({ ...fields, context_management });
    const [cleared] = answer.context_management?.applied_edits ?? [];
    const both = await beta.countTokens({ ...counted, context_management });
    expect(cleared?.cleared_input_tokens).toBeGreaterThan(200);
    expect(both).toEqual({
      input_tokens: answer.usage.input_tokens,
      context_management: {
        original_input_tokens: answer.usage.input_tokens + (cleared?.cleared_input_tokens ?? 0),
      },
    });
  });

  it("leaves both counts of count_tokens equal when no edit was needed", async () => {
    const { beta, request } = await served();
    const { max_tokens: _, ...counted } = request;
    const edits = [{ type: "clear_tool_uses_20250919" as const }];
    const both = await beta.countTokens({ ...counted, context_management: { edits } });
    expect(both.context_management?.original_input_tokens).toBe(both.input_tokens);
  });

  it("begins after the token limits have admitted the whole prompt, and reserves nothing when it fails", async () => {
    let isFailing = false;
    const server = await createLimitedTeam(
      await startServer({
        accounts: "managed",
        engine: () => ["Rain."],
        contextTokens: 4096,
        onLoad: () => (isFailing ? Promise.reject(new Error("no memory")) : Promise.resolve()),
      }),
    );
    const { apiKey } = await server.newKey({ tpm: 1000 });
    const edits = [{ ...clear_tool_uses, trigger: { type: "input_tokens", value: 1 } }];
    const body = { ...params, model: builtInModel, context_management: { edits } };
    const remaining = async (fields: object) => {
      const { status, header } = await readResponse(
        server.post("/v1/messages", { ...body, ...fields }, apiKey),
      );
      return [status, Number(header("anthropic-ratelimit-tokens-remaining"))];
    };
    const long = [...call("Bern ".repeat(1000)), ...call("Oslo")];
    expect(await remaining({ messages: [...messages, ...long] })).toEqual([429, 1000]);
    isFailing = true;
    const [failed, before] = await remaining({ messages });
    expect(failed).toBe(500);
    expect(await remaining({ messages })).toEqual([failed, before]);
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
