import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { template } from "../../kit/engine/tool-answers.js";
import type { ArchitectureName } from "../../kit/models/gguf-writer/architectures.js";
import type { ModelSpec } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { requestJson } from "../../kit/clients/chat-answers.js";

interface Published {
  readonly architecture: ArchitectureName;
  /** The family of its template. */
  readonly family: string;
  /** How llama.cpp splits its texts before byte-level BPE; null: its vocabulary is SentencePiece's. */
  readonly pre: string | null;
  readonly change?: Partial<ModelSpec>;
}

/** Every architecture of models that people run, with the splitting of texts and the style of template that it is published with. */
const published: readonly Published[] = [
  { architecture: "llama", family: "llama", pre: "llama-bpe" },
  { architecture: "mistral3", family: "mistral", pre: "tekken" },
  { architecture: "qwen2", family: "hermes", pre: "qwen2" },
  { architecture: "qwen3", family: "hermes", pre: "qwen2" },
  { architecture: "qwen3moe", family: "qwen-coder", pre: "qwen2" },
  { architecture: "gemma2", family: "generic", pre: null },
  // The sixth layer is the first that sees the whole conversation.
  { architecture: "gemma3", family: "gemma", pre: null, change: { layers: 6 } },
  { architecture: "deepseek2", family: "deepseek", pre: "deepseek-v3" },
  { architecture: "gpt-oss", family: "harmony", pre: "gpt-4o" },
  { architecture: "phi3", family: "phi", pre: "gpt-4o" },
  { architecture: "glm4", family: "glm", pre: "glm4" },
  { architecture: "olmo2", family: "generic", pre: "dbrx" },
  { architecture: "granite", family: "granite", pre: "refact" },
  // The fourth layer is the first without positions.
  { architecture: "smollm3", family: "hermes", pre: "smaug-bpe", change: { layers: 4 } },
  { architecture: "lfm2", family: "generic", pre: "lfm2" },
];

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  for (const { architecture, family, pre, change } of published)
    await writeVerifiedModel(folder, architecture, {
      architecture,
      chatTemplate: template(family),
      ...(pre === null
        ? { tokenizer: "llama" }
        : { metadata: { "tokenizer.ggml.pre": { type: "string", value: pre } } }),
      ...change,
    });
  return { environment: { HEARTH_MODELS: folder } };
});

const parameters = {
  type: "object",
  properties: { level: { enum: ["low", "high"] }, on: { type: "boolean" } },
  required: ["level", "on"],
  additionalProperties: false,
};
const fits = new Ajv().compile(parameters);
const tools = [{ type: "function", function: { name: "set_level", parameters } }];
const forced = { tools, tool_choice: { type: "function", function: { name: "set_level" } } };
const user = { role: "user", content: "Set the level to low, and then say why the world is so." };
const done = { name: "set_level", arguments: '{"level":"low","on":true}' };
const call = { id: "call_1", type: "function", function: done };
const conversations: readonly (readonly object[])[] = [
  [user],
  [{ role: "system", content: "You are the system." }, user],
  [
    user,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, content: "The level is low." },
  ],
];

describe("a model with random weights of the architecture", () => {
  it.each(published.map(({ architecture }) => architecture))(
    "%s answers a chat, a system message and a tool's result, with and without tools, and makes a forced call",
    async (model) => {
      const ask = (body: object) => requestJson(shared(), { model, temperature: 1, seed: 5, ...body });
      const sampled = { max_tokens: 4, logprobs: true, top_logprobs: 2 };
      const answers = await Promise.all([
        ...conversations.map((messages) => ask({ ...sampled, messages })),
        ...conversations.map((messages) => ask({ ...sampled, messages, tools })),
      ]);
      for (const { choices, usage } of answers) {
        expect(usage?.total_tokens).toBeGreaterThan(usage?.prompt_tokens ?? Number.NaN);
        const tops = choices
          .flatMap(({ logprobs }) => logprobs ?? [])
          .flatMap(({ top_logprobs: top }) => top);
        // A broken computation gives no numbers, or the same one for every token.
        for (const { logprob } of tops) expect(logprob).toBeLessThan(0);
      }
      const [chat, system, result, ...withTools] = answers.map(({ usage }) => usage?.prompt_tokens ?? 0);
      expect([system, result]).toEqual([expect.any(Number), expect.any(Number)]);
      expect(system).toBeGreaterThan(chat ?? Number.NaN);
      expect(result).toBeGreaterThan(chat ?? Number.NaN);
      expect(Math.min(...withTools)).toBeGreaterThan(chat ?? Number.NaN);
      const { choices, usage } = await ask({ messages: [user], ...forced, max_completion_tokens: 300 });
      const [choice] = choices;
      expect(choice).toMatchObject({ content: "", finish: "tool_calls", calls: [{ name: "set_level" }] });
      const [{ arguments: written = "" } = {}] = choice?.calls ?? [];
      expect(fits(JSON.parse(written)), written).toBe(true);
      expect(usage?.completion_tokens).toBeGreaterThan(0);
    },
  );
});
