import Anthropic from "@anthropic-ai/sdk";
import { generateText, streamText } from "ai";
import { createOpenAI } from "@ai-sdk/openai";
import { BadRequestError } from "openai";
import { describe, expect, it } from "vitest";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, deterministicFileServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const shared = deterministicFileServer();

/** The chat template written by hand; its control tokens are read only if requested. */
const templated = "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
const ask = { model: builtInModel, prompt: templated, temperature: 0, max_tokens: 40, parse_special: true };

interface Token {
  readonly token_id: number;
  readonly string_token: string;
  readonly token_bytes: readonly number[];
}

async function tokenize(app: TestServer, text: string): Promise<readonly Token[]> {
  const answer = await app.client.post<{ token_ids: Token[] }>("/tokenize-text", {
    body: { model: builtInModel, text },
  });
  return answer.token_ids;
}

const joined = (tokens: readonly Token[]): string =>
  Buffer.from(tokens.flatMap(({ token_bytes: bytes }) => bytes)).toString();

describe("the official OpenAI client's completions and the built-in model", () => {
  it("answer a prompt with a hand-written template as a chat", async () => {
    const app = shared();
    const raw = await app.client.completions.create({ ...ask, stream: false });
    const chat = await app.client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello!" }],
      temperature: 0,
      reasoning_effort: "none",
    });
    expect(raw.choices[0]).toMatchObject({
      text: chat.choices[0]?.message.content,
      logprobs: null,
      finish_reason: "stop",
    });
    expect(raw.usage?.prompt_tokens).toBe(chat.usage?.prompt_tokens);
  });

  it("return everything that the model generates as text, including the reasoning markers", async () => {
    const app = shared();
    const prompt = "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n";
    const { choices, usage } = await app.client.completions.create({ ...ask, prompt, stream: false });
    expect(choices[0]?.text).toMatch(/^<think>\n[^]+<\/think>/);
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(0);
  });

  it("F4: read control tokens only if requested", async () => {
    const app = shared();
    const count = async (parse: boolean): Promise<number> => {
      const body = { ...ask, parse_special: parse, max_tokens: 1, stream: false } as const;
      return (await app.client.completions.create(body)).usage?.prompt_tokens ?? 0;
    };
    expect(await count(false)).toBeGreaterThan(await count(true));
    expect(await count(false)).toBe((await tokenize(app, templated)).length);
  });

  it("are the same streamed and as JSON, for several prompts and choices with log probabilities", async () => {
    const app = shared();
    const sampling = { n: 2, seed: 3, temperature: 0.8, logprobs: 2 };
    const body = { ...ask, ...sampling, prompt: [templated, "One, two,"] };
    const json = await app.client.completions.create({ ...body, stream: false });
    const stream = await app.client.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    const folded = [0, 1, 2, 3].map((index) => ({ index, text: "", tokens: [] as string[], finish: "" }));
    let usage;
    for await (const chunk of stream) {
      usage = chunk.usage ?? usage;
      for (const { index, text, logprobs, finish_reason: finish } of chunk.choices) {
        const choice = folded[index];
        if (choice === undefined) throw new Error(`no choice ${index}`);
        choice.text += text;
        choice.tokens.push(...(logprobs?.tokens ?? []));
        choice.finish = finish ?? choice.finish;
      }
    }
    expect(folded).toEqual(
      json.choices.map(({ index, text, logprobs, finish_reason: finish }) => ({
        index,
        text,
        tokens: logprobs?.tokens,
        finish,
      })),
    );
    expect(usage?.completion_tokens).toBe(json.usage?.completion_tokens);
    for (const { text, logprobs } of json.choices) {
      expect(logprobs?.tokens?.join("")).toBe(text);
      expect(logprobs?.text_offset?.at(-1)).toBe(
        [...text].length - [...(logprobs?.tokens?.at(-1) ?? "")].length,
      );
      for (const top of logprobs?.top_logprobs ?? [])
        expect(Object.keys(top).length).toBeGreaterThanOrEqual(2);
    }
  });

  it("use token ids unchanged and return their text with echo", async () => {
    const app = shared();
    const text = "Wörter 🔥 und mehr";
    const prompt = (await tokenize(app, text)).map(({ token_id: id }) => id);
    const body = { model: builtInModel, temperature: 0, max_tokens: 4, echo: true, stream: false } as const;
    const [ids, letters] = await Promise.all(
      [prompt, text].map((each) => app.client.completions.create({ ...body, prompt: each })),
    );
    expect(ids?.choices[0]?.text.startsWith(text)).toBe(true);
    expect(ids?.choices).toEqual(letters?.choices);
    expect(ids?.usage?.prompt_tokens).toBe(prompt.length);
  });

  it("reject a token outside the vocabulary and a gap that the model cannot fill, and continue to serve", async () => {
    const app = shared();
    const refused: [object, string][] = [
      [{ prompt: [1, 2_147_483_647] }, "prompt"],
      [{ prompt: [[1], [999_999]] }, "prompt.1"],
      [{ suffix: "the end." }, "suffix"],
      [{ prompt: "word ".repeat(9000) }, "prompt"],
    ];
    for (const [fields, param] of refused) {
      const error: unknown = await app.client.completions
        .create({ ...ask, ...fields, stream: false })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ param });
    }
    const after = await app.client.completions.create({ ...ask, stream: false });
    expect(after.choices[0]?.finish_reason).toBe("stop");
  });

  it("fill a gap with a model that has the tokens for it: two or three, depending on the token for the middle", async () => {
    const folder = temporaryFolder();
    const marks = ["fim_pre", "fim_suf", "fim_mid"].map(
      (name, at) => [`tokenizer.ggml.${name}_token_id`, { type: "u32", value: at + 1 }] as const,
    );
    for (const count of [2, 3])
      await writeVerifiedModel(folder, `filler-${count}`, {
        metadata: Object.fromEntries(marks.slice(0, count)),
      });
    const { client } = await startServer({ environment: { HEARTH_MODELS: folder } });
    for (const count of [2, 3]) {
      const body = { model: `filler-${count}`, max_tokens: 4, temperature: 0, stream: false } as const;
      const tokens = async (fields: { prompt: string; suffix?: string }): Promise<number> =>
        (await client.completions.create({ ...body, ...fields })).usage?.prompt_tokens ?? 0;
      const gap = await tokens({ prompt: "hello the", suffix: " world" });
      expect(gap).toBe(
        (await tokens({ prompt: "hello the" })) + (await tokens({ prompt: " world" })) + count,
      );
    }
  });

  it("return the most likely of several choices", async () => {
    const app = shared();
    const body = { ...ask, temperature: 1.5, seed: 1, logprobs: 0, stream: false } as const;
    const mean = (numbers: readonly number[] = []): number =>
      numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    const all = await app.client.completions.create({ ...body, n: 4 });
    const best = await app.client.completions.create({ ...body, best_of: 4 });
    const means = all.choices.map(({ logprobs }) => mean(logprobs?.token_logprobs));
    expect(mean(best.choices[0]?.logprobs?.token_logprobs)).toBeCloseTo(Math.max(...means), 3);
    expect(best.choices).toHaveLength(1);
  });

  it("are read by the AI SDK, streamed and not", async () => {
    const app = shared();
    const model = createOpenAI({ baseURL: `${app.url}/v1`, apiKey: testKey }).completion(builtInModel);
    const options = { model, prompt: "Hello!", temperature: 0, maxOutputTokens: 12, maxRetries: 0 };
    const { text, usage } = await generateText(options);
    expect(text).not.toBe("");
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(await streamText(options).text).toBe(text);
  });
});

describe("POST /v1/tokenize-text and the built-in model", () => {
  it("returns the exact bytes of any text, without additional tokens", async () => {
    const app = shared();
    for (const text of ["", "Hello world!", "naïve 🔥\u0000\uFEFF\r\n\t", "a<|im_end|>b</think>"]) {
      const tokens = await tokenize(app, text);
      expect(joined(tokens)).toBe(text);
      for (const { string_token: shown, token_bytes: bytes } of tokens)
        expect(shown).toBe(Buffer.from(bytes).toString());
    }
  });
});

describe("POST /v1/complete and the built-in model", () => {
  it("returns the same answer as the messages endpoint, streamed and not", async () => {
    const app = shared();
    const client = new Anthropic({ baseURL: app.url, apiKey: testKey, maxRetries: 0 });
    const body = {
      model: builtInModel,
      prompt: "\n\nHuman: Hello!\n\nAssistant:",
      max_tokens_to_sample: 60,
      temperature: 0,
    };
    const answer = await client.post<{ completion: string; stop_reason: string }>("/v1/complete", {
      body,
    });
    const request = { messages: [{ role: "user" as const, content: "Hello!" }], temperature: 0 };
    const message = await client.messages.create({ model: builtInModel, max_tokens: 60, ...request });
    const [block] = message.content;
    expect(answer.completion).toBe(block?.type === "text" ? block.text : null);
    expect(answer.stop_reason).toBe("stop_sequence");
    const response = await fetch(`${app.url}/v1/complete`, {
      method: "POST",
      headers: { "x-api-key": testKey, "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
    });
    const pieces = [...(await response.text()).matchAll(/^event: completion\ndata: (.*)$/gm)].map(
      ([, data = ""]) => JSON.parse(data) as { completion: string; stop_reason: string | null },
    );
    expect(pieces.map(({ completion }) => completion).join("")).toBe(answer.completion);
    expect(pieces.at(-1)?.stop_reason).toBe("stop_sequence");
  });
});
