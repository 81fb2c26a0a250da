/** Sound that a model reads itself, by the projector beside its weights. */
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import type OpenAI from "openai";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { writeSeeingModel } from "../../kit/models/seeing-models.js";
import { fileServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { testKey } from "../../kit/server/settings.js";
import { risingTone, risingToneMp3, silentMp3, wavOf } from "../../kit/sound-files.js";
import { describeMedia, look, picture, soundPart, startMediaServer, withoutMedia } from "./media-server.js";

const shared = fileServer(async (finished) => {
  const models = temporaryFolder(finished);
  for (const family of ["voxtral", "gemma3"] as const) await writeSeeingModel(models, family);
  // What a request does not load may be in the memory of an engine that other files of tests use.
  return { environment: { HEARTH_MODELS: models }, hasOwnEngine: true };
});

const voice = (seed = 1, seconds = 2): Buffer => wavOf(risingTone(seed), seconds);
const answer = (completion: OpenAI.Chat.ChatCompletion): string =>
  completion.choices[0]?.message.content ?? "";
const logprob = ({ choices: [choice] }: OpenAI.Chat.ChatCompletion): number =>
  choice?.logprobs?.content?.[0]?.logprob ?? 0;
const counts = (usage: OpenAI.CompletionUsage | undefined) => ({
  prompt: usage?.prompt_tokens ?? 0,
  audio: usage?.prompt_tokens_details?.audio_tokens ?? 0,
  cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
});

/** A greedy request of a text, a sound and a text. */
const asked = (sound: Buffer, model = "voxtral") => ({
  model,
  messages: [
    {
      role: "user" as const,
      content: [
        { type: "text" as const, text: "hear " },
        soundPart(sound),
        { type: "text" as const, text: " world" },
      ],
    },
  ],
  temperature: 0,
  max_tokens: 8,
});

describeMedia(`a sound in a conversation with a model that hears${withoutMedia}`, () => {
  it("counts as the tokens that it takes, and is evaluated once", async () => {
    const parts = ["hello ", voice(), " world"];
    const first = await look(shared(), "voxtral", parts, 8);
    const second = await look(shared(), "voxtral", parts, 8);
    const { prompt, audio } = counts(first.usage);
    expect(audio).toBeGreaterThan(300);
    expect(audio).toBeLessThan(prompt);
    expect(answer(second)).toBe(answer(first));
    // All but the last token, with which the answer begins.
    expect(counts(second.usage)).toEqual({ prompt, audio, cached: prompt - 1 });
  });

  it("another sound is another prompt, and has another answer", async () => {
    const one = await look(shared(), "voxtral", ["hello ", voice(11), " world"], 8);
    const other = await look(shared(), "voxtral", ["hello ", voice(12), " world"], 8);
    expect(logprob(other)).not.toBeCloseTo(logprob(one), 5);
    const { prompt, audio, cached } = counts(other.usage);
    expect(cached).toBeLessThanOrEqual(prompt - audio);
  });

  it("several at a time are answered as alone, also two in one request", async () => {
    const asks = [21, 22].map((seed) => ["hear ", voice(seed), " user ", voice(seed + 10, 1)]);
    const together = await Promise.all(asks.map((parts) => look(shared(), "voxtral", parts, 6)));
    const alone = [];
    for (const parts of asks) alone.push(await look(shared(), "voxtral", parts, 6));
    expect(together.map(answer)).toEqual(alone.map(answer));
    const [one] = [await look(shared(), "voxtral", ["hear ", voice(21)], 6)];
    expect(counts(together[0]?.usage).audio).toBe(2 * counts(one.usage).audio);
  });

  it.each([
    ["one sample", 1 / 16_000, 1],
    ["40 seconds, in two pieces", 40, 2],
  ])("may last %s", async (_, seconds, pieces) => {
    const one = await look(shared(), "voxtral", ["hear ", voice(21)], 4);
    const { usage } = await look(shared(), "voxtral", ["hear ", voice(25, seconds)], 4);
    expect(usage?.completion_tokens).toBe(4);
    expect(counts(usage).audio).toBe(pieces * counts(one.usage).audio);
  });

  it("is answered as a stream, with the same text and usage", async () => {
    const whole = await shared().client.chat.completions.create(asked(voice(31)));
    const stream = await shared().client.chat.completions.create({
      ...asked(voice(31)),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(answer(whole));
    expect(usage?.prompt_tokens_details?.audio_tokens).toBe(whole.usage?.prompt_tokens_details?.audio_tokens);
  });

  it("may be an MP3 file", async () => {
    const { usage } = await shared().client.chat.completions.create({
      ...asked(voice()),
      messages: [{ role: "user", content: [soundPart(risingToneMp3(), "mp3")] }],
    });
    expect(counts(usage).audio).toBeGreaterThan(300);
  });

  it("is read beside tools", async () => {
    const completion = await shared().client.chat.completions.create({
      ...asked(voice()),
      tools: [
        { type: "function", function: { name: "note", parameters: { type: "object", properties: {} } } },
      ],
      tool_choice: { type: "function", function: { name: "note" } },
      max_tokens: 64,
    });
    expect(completion.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "note" } });
  });

  it("is read in responses, and stays in the conversation that the next response continues", async () => {
    const { client } = shared();
    const input = [
      { role: "user", content: [{ type: "input_text", text: "hear " }, soundPart(voice(41))] },
    ] as unknown as OpenAI.Responses.ResponseInput;
    const request = { model: "voxtral", temperature: 0, max_output_tokens: 8 };
    const first = await client.responses.create({ ...request, input });
    expect(first.usage?.input_tokens).toBeGreaterThan(300);
    const next = await client.responses.create({ ...request, input: "and", previous_response_id: first.id });
    expect(next.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
    expect(next.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(300);
    const items = await client.responses.inputItems.list(first.id);
    expect(items.data[0]).toMatchObject({ content: [{ type: "input_text" }, soundPart(voice(41))] });
    const counted = await client.responses.inputTokens.count({ model: "voxtral", input });
    expect(counted.input_tokens).toBe(first.usage?.input_tokens);
  });

  it.each([
    ["audio/wav", voice(45)],
    ["audio/mpeg", risingToneMp3()],
  ])("is read as the AI SDK sends %s", async (mediaType, data) => {
    const openai = createOpenAI({ baseURL: `${shared().url}/v1`, apiKey: testKey });
    const content = [{ type: "file" as const, mediaType, data }];
    const { usage } = await generateText({
      model: openai.chat("voxtral"),
      messages: [{ role: "user", content }],
      maxOutputTokens: 4,
    });
    expect(usage.inputTokens).toBeGreaterThan(300);
  });

  it("is kept as an item of a conversation", async () => {
    const { client } = shared();
    const item = { type: "message", role: "user", content: [soundPart(voice(51))] };
    const { id } = await client.conversations.create({
      items: [item] as unknown as OpenAI.Conversations.ConversationCreateParams["items"],
    });
    const response = await client.responses.create({
      model: "voxtral",
      conversation: id,
      input: "hello",
      max_output_tokens: 4,
    });
    expect(response.usage?.input_tokens).toBeGreaterThan(300);
  });
});

async function listed(model: string, { url } = shared()): Promise<unknown> {
  const reply = await fetch(`${url}/v1/language-models/${model}`, { headers: headersOf(testKey) });
  return reply.json();
}

/** Asks, and returns the status and the error. */
async function refusal(body: object): Promise<{ readonly status: number; readonly error: object }> {
  const reply = await fetch(`${shared().url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headersOf(testKey) },
    body: JSON.stringify(body),
  });
  const { error } = (await reply.json()) as { readonly error: object };
  return { status: reply.status, error };
}

const content = (...parts: object[]) => ({ ...asked(voice()), messages: [{ role: "user", content: parts }] });
const part = (data: string, format = "wav") => ({ type: "input_audio", input_audio: { data, format } });

const field = "messages.0.content.0.input_audio";

describeMedia("a sound that is refused", () => {
  it.each([
    ["empty", part(""), `${field}: the sound file is empty`],
    [
      "no base64",
      part("?!"),
      `${field}: the sound file is not base64: the standard alphabet with padding is read`,
    ],
    [
      "of another format",
      part(Buffer.from("OggS\0\x02").toString("base64")),
      `${field}: the sound file is Ogg; WAV and MP3 are read`,
    ],
    [
      "damaged",
      part(voice().subarray(0, 5_000).toString("base64")),
      `${field}: the sound file is cut: it states 64000 bytes of sound, and has 4956`,
    ],
    [
      "too long",
      part(silentMp3(620).toString("base64"), "mp3"),
      `${field}: the sounds of a request may last at most 600 s together`,
    ],
  ])("%s: the answer names the part and the bound", async (_, sound, message) => {
    expect(await refusal(content(sound))).toMatchObject({ status: 400, error: { message, param: field } });
  });

  it("sounds that are too long only together", async () => {
    const sound = part(silentMp3(320).toString("base64"), "mp3");
    expect(await refusal(content(sound, sound))).toMatchObject({
      status: 400,
      error: { param: "messages.0.content.1.input_audio" },
    });
  });

  it("too many sounds", async () => {
    const sounds = Array.from({ length: 33 }, () => part(voice(1, 0.1).toString("base64")));
    expect(await refusal(content(...sounds))).toMatchObject({
      status: 400,
      error: {
        message: "messages.0.content.32.input_audio: a request may hold at most 32 sounds, this one holds 33",
      },
    });
  });

  it.each([["of a format that is not named", part("", "flac"), "messages.0.content.0.input_audio.format"]])(
    "%s",
    async (_, sound, param) => {
      expect(await refusal(content(sound))).toMatchObject({ status: 400, error: { param } });
    },
  );

  it.each(["gemma3", "hearth-tiny-5m"])(
    "by %s, which does not read sound, and is not loaded for it",
    async (model) => {
      const { status, error } = await refusal({ ...content(part(voice().toString("base64"))), model });
      expect(status).toBe(400);
      expect(error).toMatchObject({ message: `${field}: this model does not read sound`, param: field });
      const listed = await fetch(`${shared().url}/api/ps`, { headers: headersOf(testKey) });
      const { models } = (await listed.json()) as { readonly models: readonly { readonly name: string }[] };
      expect(models.map(({ name }) => name)).not.toContain(model);
    },
  );
});

describeMedia("a projector that llama.cpp ends its process for", () => {
  it("is an error of its requests and not used again, while other models answer", async () => {
    // An engine of its own says to this server that a projector cannot be used.
    const server = await startMediaServer(["voxtral", "ultravox"], {
      environment: { HEARTH_IMAGE_TOKENS_MAX: "300" },
    });
    const heard = look(server, "voxtral", ["hello ", voice()], 6);
    await expect(look(server, "ultravox", ["hello ", voice(61)], 6)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(
        "messages.0.content.1.input_audio: this model does not read sound",
      ) as unknown,
    });
    expect((await heard).usage?.completion_tokens).toBe(6);
    const text = await look(server, "ultravox", ["hello"], 4);
    expect(text.usage?.completion_tokens).toBe(4);
    const { input_modalities: read } = (await listed("ultravox", server)) as { input_modalities: string[] };
    expect(read).not.toContain("audio");
  });
});

describeMedia("a model that hears", () => {
  it("says so where models are listed", async () => {
    const { url } = shared();
    expect(await listed("voxtral")).toMatchObject({
      input_modalities: expect.arrayContaining(["text", "audio"]) as unknown,
    });
    const shown = await (
      await fetch(`${url}/api/show`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headersOf(testKey) },
        body: JSON.stringify({ model: "voxtral" }),
      })
    ).json();
    expect(shown).toMatchObject({ capabilities: expect.arrayContaining(["completion", "audio"]) as unknown });
  });

  it("has images described to it, and its sounds stay where they are", async () => {
    const completion = await look(
      shared(),
      "voxtral",
      ["see ", await picture(64, 64), " hear ", voice(), " end"],
      4,
    );
    const { prompt, audio } = counts(completion.usage);
    const details = completion.usage?.prompt_tokens_details as { image_tokens?: number } | undefined;
    const images = details?.image_tokens ?? 0;
    expect(images).toBeGreaterThan(0);
    expect(audio).toBeGreaterThan(300);
    expect(images + audio).toBeLessThan(prompt);
  });
});
