/** Images that clients send to models that see: each client's form of a message leads to the same prompt. */
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, type FilePart, type ImagePart, type LanguageModel } from "ai";
import { Ollama } from "ollama";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createDeferred, waitForOutcome } from "../../kit/clients/deferred.js";
import { createBatch, linesOf, whenEnded } from "../../kit/clients/batches.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeSeeingModel } from "../../kit/models/seeing-models.js";
import { fileServer } from "../../kit/server.js";
import { headersOf, post } from "../../kit/server/requests.js";
import { testKey } from "../../kit/server/settings.js";
import { describeMedia, imagePart, imageTokensOf, look, picture, withoutMedia } from "./media-server.js";

/** Its images have as many tokens as their sizes ask for. */
const model = "qwen2vl";
const question = "what is this? ";

const shared = fileServer(async (finished) => {
  const models = temporaryFolder(finished);
  await writeSeeingModel(models, model);
  return { environment: { HEARTH_MODELS: models } };
});

const text = (said: string) => ({ type: "text" as const, text: said });
const dataUrl = (png: Buffer): string => `data:image/png;base64,${png.toString("base64")}`;
const greedy = { model, temperature: 0 };
const cachedOf = ({ usage }: OpenAI.Chat.ChatCompletion): number =>
  usage?.prompt_tokens_details?.cached_tokens ?? 0;
const answerOf = ({ choices: [choice] }: OpenAI.Chat.ChatCompletion): string => choice?.message.content ?? "";

async function asksChat(parts: OpenAI.Chat.ChatCompletionContentPart[]): Promise<OpenAI.Chat.ChatCompletion> {
  const messages = [{ role: "user" as const, content: parts }];
  return shared().client.chat.completions.create({ ...greedy, messages, max_tokens: 4, logprobs: true });
}

const anthropic = () => new Anthropic({ baseURL: shared().url, apiKey: testKey, maxRetries: 0 });
const anthropicImage = (png: Buffer) => ({
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: png.toString("base64") },
});

interface Evaluated {
  readonly prompt: number;
  readonly cached: number;
}

/** Expects that a prompt was the one of the question and the image: nothing of it was evaluated again. */
async function expectSame(png: Buffer, ask: () => Promise<Evaluated>): Promise<void> {
  const first = await look(shared(), model, [question, png], 4);
  expect(imageTokensOf(first)).toBeGreaterThan(10);
  const prompt = first.usage?.prompt_tokens ?? 0;
  expect(await ask()).toEqual({ prompt, cached: prompt - 1 });
}

/** Expects that a second prompt is evaluated only where it has another image. */
async function expectRead(ask: (png: Buffer) => Promise<Evaluated>, seed: number): Promise<void> {
  const [png, other] = [await picture(120, 80, seed), await picture(120, 80, -seed)];
  const { prompt } = await ask(png);
  expect(await ask(png)).toEqual({ prompt, cached: prompt - 1 });
  const changed = await ask(other);
  expect([changed.prompt, changed.cached < prompt - 10]).toEqual([prompt, true]);
}

describeMedia(`the openai client${withoutMedia}`, () => {
  it("gets the same answer whole and streamed, and the tokens of the image in the usage", async () => {
    const png = await picture(120, 80, 101);
    const whole = await look(shared(), model, [question, png], 8);
    const stream = await shared().client.chat.completions.create({
      ...greedy,
      messages: [{ role: "user", content: [text(question), imagePart(png)] }],
      max_tokens: 8,
      stream: true,
      stream_options: { include_usage: true },
    });
    let said = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      said += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(said).toBe(answerOf(whole));
    expect(usage).toMatchObject({
      prompt_tokens: whole.usage?.prompt_tokens,
      prompt_tokens_details: { image_tokens: imageTokensOf(whole) },
    });
  });

  it("sends several images, whose order matters", async () => {
    const [one, two] = [await picture(120, 80, 102), await picture(80, 120, 103)];
    const both = await asksChat([text("a "), imagePart(one), text(" b "), imagePart(two)]);
    const swapped = await asksChat([text("a "), imagePart(two), text(" b "), imagePart(one)]);
    expect(imageTokensOf(swapped)).toBe(imageTokensOf(both));
    const prompt = swapped.usage?.prompt_tokens ?? 0;
    expect(cachedOf(swapped)).toBeLessThan(prompt - imageTokensOf(swapped));
    const first = (completion: typeof both) => completion.choices[0]?.logprobs?.content?.[0]?.logprob ?? 0;
    expect(first(swapped)).not.toBeCloseTo(first(both), 6);
    const after = await asksChat([text("a "), imagePart(one), imagePart(two), text(" b ")]);
    expect(cachedOf(after)).toBeLessThan((after.usage?.prompt_tokens ?? 0) - 5);
    const again = await asksChat([text("a "), imagePart(one), text(" b "), imagePart(two)]);
    expect(answerOf(again)).toBe(answerOf(both));
  });

  it("sends an image with less detail as a smaller one", async () => {
    const url = dataUrl(await picture(800, 400, 104));
    const tokens = async (detail: "low" | "high" | "auto") =>
      imageTokensOf(await asksChat([{ type: "image_url", image_url: { url, detail } }]));
    const [low, high] = [await tokens("low"), await tokens("high")];
    expect(low).toBeLessThan(high);
    expect(await tokens("auto")).toBeLessThanOrEqual(high);
  });

  it("creates responses, whole and streamed, and continues one without evaluating the image again", async () => {
    const { client } = shared();
    const png = await picture(120, 80, 105);
    const content: OpenAI.Responses.ResponseInputContent[] = [
      { type: "input_text", text: question },
      { type: "input_image", image_url: dataUrl(png), detail: "auto" },
    ];
    const body = { ...greedy, input: [{ role: "user" as const, content }], max_output_tokens: 16 };
    const whole = await client.responses.create(body);
    await expectSame(png, async () => {
      const { usage } = await client.responses.stream(body).finalResponse();
      return { prompt: usage?.input_tokens ?? 0, cached: usage?.input_tokens_details.cached_tokens ?? 0 };
    });
    const next = await client.responses.create({
      ...greedy,
      previous_response_id: whole.id,
      input: "and now?",
      max_output_tokens: 16,
    });
    const { input_tokens: prompt = 0, input_tokens_details: details } = next.usage ?? {};
    expect(prompt).toBeGreaterThan(whole.usage?.input_tokens ?? 0);
    expect(details?.cached_tokens).toBeGreaterThanOrEqual((whole.usage?.input_tokens ?? 0) - 3);
  });

  it("continues a stored conversation without evaluating its image again", async () => {
    const { client } = shared();
    const { id: conversation } = await client.conversations.create();
    const ask = async (input: OpenAI.Responses.ResponseInput) =>
      (await client.responses.create({ ...greedy, conversation, input, max_output_tokens: 16 })).usage;
    const url = dataUrl(await picture(120, 80, 106));
    const content = [{ type: "input_image" as const, image_url: url, detail: "auto" as const }];
    const first = await ask([{ role: "user", content }]);
    const second = await ask([{ role: "user", content: "and now?" }]);
    expect(second?.input_tokens_details.cached_tokens).toBeGreaterThanOrEqual((first?.input_tokens ?? 0) - 3);
  });

  it("gets the answers of a batch and of a deferred request", async () => {
    const { client } = shared();
    const png = await picture(120, 80, 107);
    const expected = answerOf(await look(shared(), model, [question, png], 6));
    const messages = [{ role: "user", content: [text(question), imagePart(png)] }];
    const body = { ...greedy, messages, max_tokens: 6 };
    const line = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body };
    const ended = await whenEnded(client, await createBatch(client, [line]));
    const [answered] = await linesOf(client, ended.output_file_id);
    expect(answered?.response?.body.choices?.[0]?.message?.content).toBe(expected);
    const outcome = await waitForOutcome(shared(), await createDeferred(shared(), body, testKey), testKey);
    expect(answerOf((await outcome.json()) as OpenAI.Chat.ChatCompletion)).toBe(expected);
  });
});

describeMedia(`other clients${withoutMedia}`, () => {
  const ask = async (
    messages: Anthropic.MessageParam[],
    options: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
  ): Promise<Evaluated> => {
    const { usage } = await anthropic().messages.create({ ...greedy, max_tokens: 4, messages, ...options });
    const { input_tokens: plain, cache_read_input_tokens: read, cache_creation_input_tokens: made } = usage;
    return { prompt: plain + (read ?? 0) + (made ?? 0), cached: read ?? 0 };
  };

  it("of Anthropic: send images as blocks", () =>
    expectRead((png) => ask([{ role: "user", content: [text(question), anthropicImage(png)] }]), 111));

  it("of Anthropic: send images in results of tools, which the model reads", () =>
    expectRead(
      (png) =>
        ask(
          [
            { role: "user", content: "take a picture" },
            { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "camera", input: {} }] },
            {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: "t1", content: [text("taken"), anthropicImage(png)] },
              ],
            },
          ],
          { tools: [{ name: "camera", input_schema: { type: "object" } }] },
        ),
      112,
    ));

  it.each<[string, (url: string) => LanguageModel]>([
    ["openai, by way of chat", (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: testKey }).chat(model)],
    ["openai, by way of responses", (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: testKey })(model)],
    ["anthropic", (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: testKey })(model)],
  ])("of the AI SDK, %s: send images and files", async (_, provider) => {
    const ask = async (part: ImagePart | FilePart): Promise<Evaluated> => {
      const { usage } = await generateText({
        model: provider(shared().url),
        messages: [{ role: "user", content: [text(question), part] }],
        maxOutputTokens: 16,
        maxRetries: 0,
        temperature: 0,
      });
      return { prompt: usage.inputTokens ?? 0, cached: usage.inputTokenDetails.cacheReadTokens ?? 0 };
    };
    await expectRead((png) => ask({ type: "image", image: png }), 114);
    await expectRead((png) => ask({ type: "file", data: png, mediaType: "image/png" }), 114);
  });

  it("of LangChain: send images in both of its forms", async () => {
    const png = await picture(120, 80, 115);
    const client = new ChatOpenAI({
      ...greedy,
      apiKey: testKey,
      maxTokens: 4,
      maxRetries: 0,
      configuration: { baseURL: `${shared().url}/v1` },
    });
    const standard = {
      type: "image",
      source_type: "base64",
      mime_type: "image/png",
      data: png.toString("base64"),
    };
    const openai = { ...imagePart(png) };
    for (const part of [openai, standard])
      await expectSame(png, async () => {
        const message = new HumanMessage({ content: [text(question), part] });
        const { usage_metadata: usage } = await client.invoke([message]);
        return { prompt: usage?.input_tokens ?? 0, cached: usage?.input_token_details?.cache_read ?? 0 };
      });
  });

  it("of Ollama: send images of chats and prompts before the text", async () => {
    const png = await picture(120, 80, 116);
    const ollama = new Ollama({ host: shared().url, headers: { Authorization: `Bearer ${testKey}` } });
    const options = { temperature: 0, num_predict: 6 };
    const expected = await look(shared(), model, [png, "what is this?"], 6);
    const images = [png.toString("base64")];
    const chat = await ollama.chat({
      model,
      messages: [{ role: "user", content: "what is this?", images }],
      options,
    });
    expect([chat.message.content, chat.prompt_eval_count]).toEqual([
      answerOf(expected),
      expected.usage?.prompt_tokens,
    ]);
    const generated = await ollama.generate({ model, prompt: "what is this?", images: [png], options });
    expect([generated.response, generated.prompt_eval_count]).toEqual([
      answerOf(expected),
      expected.usage?.prompt_tokens,
    ]);
    expect((await ollama.show({ model })).capabilities).toContain("vision");
  });

  it.each<[string, (url: string) => object]>([
    [
      "Open WebUI",
      (url) => ({
        stream: false,
        messages: [{ role: "user", content: [text(question), { type: "image_url", image_url: { url } }] }],
      }),
    ],
    [
      "LibreChat",
      (url) => ({
        user: "65f0",
        messages: [
          {
            role: "user",
            content: [text(question), { type: "image_url", image_url: { url, detail: "auto" } }],
          },
        ],
        stream: false,
        top_p: 1,
        presence_penalty: 0,
        frequency_penalty: 0,
      }),
    ],
    [
      "clients of xAI",
      (url) => ({
        messages: [{ role: "user", content: [text(question), { type: "image_url", image_url: url }] }],
      }),
    ],
  ])("in the form of %s: are read", async (_, form) => {
    const png = await picture(120, 80, 117);
    await expectSame(png, async () => {
      const response = await post(
        shared(),
        { ...greedy, ...form(dataUrl(png)), max_tokens: 4 },
        { headers: headersOf(testKey) },
      );
      const completion = (await response.json()) as OpenAI.Chat.ChatCompletion;
      return { prompt: completion.usage?.prompt_tokens ?? 0, cached: cachedOf(completion) };
    });
  });
});

describe("a video", () => {
  it.each([
    ["/v1/chat/completions", "messages.0.content.1", "video_url", "messages"],
    ["/v1/responses", "input.0.content.1", "input_video", "input"],
  ])("of %s: is refused by name, with its place", async (path, param, type, field) => {
    const said = field === "input" ? { type: "input_text", text: "see" } : text("see");
    const content = [said, { type, [type]: { url: "data:video/mp4;base64,AAAA" } }];
    const response = await fetch(`${shared().url}${path}`, {
      method: "POST",
      headers: headersOf(testKey),
      body: JSON.stringify({ model, [field]: [{ role: "user", content }] }),
    });
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    expect([response.status, error.message]).toEqual([400, expect.stringContaining(`${param}: `)]);
    expect(error.message).toContain(`'${type}'`);
  });
});
