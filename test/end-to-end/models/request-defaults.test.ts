import { describe, expect, it, vi } from "vitest";
import type { DecodeJob } from "../../../src/core/engine.js";
import { testKey } from "../../kit/server/settings.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { configuredApp } from "./configured.js";

const system = "hello world: be brief.";
const sampling = {
  temperature: 0.25,
  topP: 0.5,
  topK: 7,
  minP: 0.125,
  frequencyPenalty: 1,
  presencePenalty: -1,
  seed: 42,
};
const neutral = {
  temperature: 1,
  topP: 1,
  topK: null,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  seed: null,
  logitBias: {},
};
const messages = [{ role: "user", content: "hello the world" }];
const shared = configuredApp(
  { set: { system, sampling: { ...sampling, maxTokens: 5 } }, half: { sampling: { temperature: 0.5 } } },
  async (folder) => {
    for (const name of ["plain", "set", "half"]) await writeVerifiedModel(folder, name);
  },
);

async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${shared().url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

/** Returns the engine's job for a request. */
async function jobOf(path: string, body: object): Promise<DecodeJob> {
  const generate = vi.spyOn(shared().app.engine, "generate");
  try {
    await post(path, body);
    return generate.mock.calls[0]?.[1] ?? expect.fail("nothing was generated");
  } finally {
    generate.mockRestore();
  }
}

/** Returns the tokens of the prompt that the engine answers. */
const promptOf = async (path: string, body: object) => [...(await jobOf(path, body)).prompt.tokens];

const conversation = "\n\nHuman: hello the world\n\nAssistant:";
const openai = {
  temperature: 1,
  top_p: 0.75,
  top_k: 40,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0.5,
  seed: 9,
};
const openaiSampling = {
  temperature: 1,
  topP: 0.75,
  topK: 40,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0.5,
  seed: 9,
};
const anthropic = { temperature: 1, top_p: 0.75, top_k: 0 };
const anthropicSampling = { temperature: 1, topP: 0.75, topK: null };

/** A request of each dialect that states nothing, and one that states all that it can, with the sampling and limit that it states. */
const dialects: readonly (readonly [
  path: string,
  unstated: object,
  stated: object,
  sampling: object,
  limit: number,
])[] = [
  ["/v1/chat/completions", { messages }, { ...openai, max_tokens: 3 }, openaiSampling, 3],
  ["/v1/chat/completions", { messages }, { ...openai, max_completion_tokens: 3 }, openaiSampling, 3],
  ["/v1/completions", { prompt: "hello the world" }, { ...openai, max_tokens: 3 }, openaiSampling, 3],
  ["/v1/responses", { input: "hello the world" }, { ...openai, max_output_tokens: 3 }, openaiSampling, 3],
  ["/v1/messages", { messages }, { ...anthropic, max_tokens: 3 }, anthropicSampling, 3],
];

describe("the setting sampling of a model", () => {
  it.each(dialects)("applies where a request to %s does not state the field", async (path, unstated) => {
    const job = await jobOf(path, { model: "set", ...unstated });
    expect(job.sampling).toEqual({ ...sampling, logitBias: {} });
    expect([job.maxTokens, job.maxTokensExcludesReasoning]).toEqual([5, false]);
    const half = await jobOf(path, { model: "half", ...unstated, ...atMost(path) });
    expect(half.sampling).toEqual({ ...neutral, temperature: 0.5 });
  });

  it.each(dialects)("does not change what a request to %s states", async (path, body, stated, own, limit) => {
    const job = await jobOf(path, { model: "set", ...body, ...stated });
    expect(job.sampling).toEqual({ ...sampling, ...own, logitBias: {} });
    expect(job.maxTokens).toBe(limit);
  });

  it.each(dialects)("is OpenAI's defaults for %s without it", async (path, unstated) => {
    const { sampling: used } = await jobOf(path, { model: "plain", ...unstated, ...atMost(path) });
    expect(used).toEqual(neutral);
  });

  it("applies to /v1/complete, whose limit is always stated", async () => {
    const body = { model: "set", prompt: conversation, max_tokens_to_sample: 3 };
    const job = await jobOf("/v1/complete", body);
    expect([job.sampling, job.maxTokens]).toEqual([{ ...sampling, logitBias: {} }, 3]);
    const stated = await jobOf("/v1/complete", { ...body, ...anthropic });
    expect(stated.sampling).toEqual({ ...sampling, ...anthropicSampling, logitBias: {} });
  });

  it("bounds completions of sixteen tokens otherwise", async () => {
    const { maxTokens } = await jobOf("/v1/completions", { model: "half", prompt: "hello" });
    expect(maxTokens).toBe(16);
  });

  it("is what /v1/responses repeats, streamed, stored and in the background", async () => {
    const used = {
      temperature: 0.25,
      top_p: 0.5,
      frequency_penalty: 1,
      presence_penalty: -1,
      max_output_tokens: 5,
      instructions: null,
    };
    const body = { model: "set", input: "hello the world" };
    expect(await post("/v1/responses", body)).toMatchObject(used);
    expect(await post("/v1/responses", { ...body, background: true })).toMatchObject(used);
    const { client } = shared();
    const stream = await client.responses.create({ ...body, stream: true });
    for await (const event of stream) if ("response" in event) expect(event.response).toMatchObject(used);
    const own = { temperature: 0, top_p: 0, max_output_tokens: 2 };
    expect(await post("/v1/responses", { ...body, ...own })).toMatchObject({ ...used, ...own });
    const plain = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0 };
    expect(await post("/v1/responses", { ...body, model: "half" })).toMatchObject({
      ...plain,
      temperature: 0.5,
    });
  });
});

/** The model's random answers would fill its context. */
function atMost(path: string): object {
  return { [path === "/v1/responses" ? "max_output_tokens" : "max_tokens"]: 2 };
}

describe("the setting system of a model", () => {
  const user = { role: "user", content: "hello the world" };
  const withSystem = { model: "plain", messages: [{ role: "system", content: system }, user], max_tokens: 2 };

  it.each([
    ["/v1/chat/completions", { messages: [user] }],
    ["/v1/responses", { input: "hello the world" }],
    ["/v1/messages", { messages: [user] }],
  ])("is the system message of a conversation at %s that has none", async (path, body) => {
    const expected = await promptOf("/v1/chat/completions", withSystem);
    const prompt = await promptOf(path, { model: "set", ...body });
    expect(prompt.slice(0, expected.length)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(
      (await promptOf(path, { model: "half", ...body, ...atMost(path) })).length,
    );
  });

  it("is the system message of turns at /v1/complete, too", async () => {
    const body = { prompt: conversation, max_tokens_to_sample: 2 };
    const [own, none] = [
      await promptOf("/v1/complete", { model: "set", ...body }),
      await promptOf("/v1/complete", { model: "plain", ...body }),
    ];
    const stated = await promptOf("/v1/complete", {
      ...body,
      model: "plain",
      prompt: `${system}${conversation}`,
    });
    expect(own).toEqual(stated);
    expect(own).not.toEqual(none);
  });

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "system", content: "the" }, user], max_tokens: 2 }],
    ["/v1/chat/completions", { messages: [{ role: "developer", content: "the" }, user], max_tokens: 2 }],
    ["/v1/responses", { input: "hello", instructions: "the", max_output_tokens: 2 }],
    ["/v1/messages", { messages: [user], system: "the", max_tokens: 2 }],
    ["/v1/complete", { prompt: `the${conversation}`, max_tokens_to_sample: 2 }],
    ["/v1/completions", { prompt: "hello", max_tokens: 2 }],
  ])("does not change a conversation at %s that has one, or a raw prompt: %j", async (path, body) => {
    expect(await promptOf(path, { model: "set", ...body })).toEqual(
      await promptOf(path, { model: "plain", ...body }),
    );
  });

  it("counts as tokens of the prompt", async () => {
    const body = { messages, max_tokens: 2 };
    const { usage } = await post("/v1/messages", { model: "set", ...body });
    const stated = await post("/v1/messages", { model: "plain", system, ...body });
    const { input_tokens: used = 0, cache_read_input_tokens: cached = 0 } = usage as Record<string, number>;
    const ofStated = stated["usage"] as Record<string, number>;
    expect(used + cached).toBe((ofStated["input_tokens"] ?? 0) + (ofStated["cache_read_input_tokens"] ?? 0));
    const counted = await post("/v1/messages/count_tokens", { model: "set", messages });
    expect(counted).toEqual({ input_tokens: used + cached });
    const without = await post("/v1/messages/count_tokens", { model: "half", messages });
    expect(without["input_tokens"]).toBeLessThan(used + cached);
  });
});
