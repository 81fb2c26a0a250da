import { describe, expect, it } from "vitest";
import { forFile } from "../../kit/for-file.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { dataUrl, imagePart, imageFile, startCaptioningServer, textPart } from "./caption-server.js";

const shared = forFile((finished) => startCaptioningServer({}, undefined, finished));

const lastPrompt = (): string => shared().prompts.at(-1) ?? "";

describe("an image in a chat message", () => {
  it("is replaced by its description in place, in order", async () => {
    const { prompt } = await shared().ask([
      textPart("First"),
      imagePart(await dataUrl("red")),
      textPart("then"),
      imagePart(await dataUrl("#00ff00", "jpeg")),
      imagePart(await dataUrl("blue")),
      textPart("Which is it?"),
    ]);
    expect(prompt).toBe(
      "user: First\n[image: red picture]\nthen\n[image: green picture]\n[image: blue picture]\nWhich is it?\nassistant:",
    );
  });

  it.each(["png", "jpeg", "webp", "gif"] as const)("is read from a %s file", async (format) => {
    const url = `data:application/octet-stream;base64,${(await imageFile("blue", format)).toString("base64")}`;
    expect((await shared().ask([imagePart(url)])).prompt).toBe("user: [image: blue picture]\nassistant:");
  });

  it("is described in detail with `high`, in either place of the field", async () => {
    const url = await dataUrl("red");
    const closer =
      /^user: \[image: red picture\ntop left: red picture\n(.*\n){2}bottom right: red picture\]\nassistant:$/;
    expect((await shared().ask([imagePart(url, "high")])).prompt).toMatch(closer);
    const xai = { ...imagePart(url), detail: "high" } as ReturnType<typeof imagePart>;
    expect((await shared().ask([xai])).prompt).toMatch(closer);
    expect((await shared().ask([imagePart(url, "low")])).prompt).toBe(
      "user: [image: red picture]\nassistant:",
    );
  });

  it("is counted as image tokens, which are part of the prompt tokens and are charged", async () => {
    const plain = await shared().client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: "What is it?" }],
    });
    const seen = await shared().client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: [imagePart(await dataUrl("red")), textPart("What is it?")] }],
    });
    const details = seen.usage?.prompt_tokens_details as { image_tokens: number; text_tokens: number };
    // "[image:", " red", " picture]"
    expect(details.image_tokens).toBe(3);
    expect(details.text_tokens + details.image_tokens).toBe(seen.usage?.prompt_tokens);
    expect(plain.usage?.prompt_tokens_details).toMatchObject({ image_tokens: 0 });
    const cost = (answer: object): number =>
      (answer as { usage: { cost_in_usd_ticks: number } }).usage.cost_in_usd_ticks;
    expect(cost(seen)).toBeGreaterThan(cost(plain));
    const [row] = await shared().app.runs.list(1);
    expect(row?.usage.imageTokens).toBe(3);
  });

  it("works in a streamed answer", async () => {
    const stream = await shared().client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: [imagePart(await dataUrl("red"))] }],
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: object | null | undefined;
    for await (const chunk of stream) usage = chunk.usage ?? usage;
    expect(usage).toMatchObject({ prompt_tokens_details: { image_tokens: 3 } });
  });

  it("may be the result of a tool", async () => {
    const call = { id: "c1", type: "function" as const, function: { name: "look", arguments: "{}" } };
    await shared().client.chat.completions.create({
      model: builtInModel,
      messages: [
        { role: "user", content: "Look." },
        { role: "assistant", tool_calls: [call] },
        // The client's types know texts only.
        { role: "tool", tool_call_id: "c1", content: [imagePart(await dataUrl("blue")) as never] },
      ],
    });
    expect(lastPrompt()).toContain("tool: [image: blue picture]");
  });

  it("is rejected in an assistant message", async () => {
    const asked = shared().client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "assistant", content: [imagePart(await dataUrl("blue")) as never] }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "messages.0.content.0" });
  });
});

describe("an image in a response's input", () => {
  it("is replaced by its description, in messages and function outputs, and counted", async () => {
    const image = { type: "input_image" as const, image_url: await dataUrl("red"), detail: "auto" as const };
    const response = await shared().client.responses.create({
      model: builtInModel,
      store: false,
      input: [
        { role: "user", content: [{ type: "input_text", text: "Look:" }, image] },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: [image] },
      ],
    });
    expect(lastPrompt()).toContain("user: Look:\n[image: red picture]\n");
    expect(lastPrompt()).toContain("tool: [image: red picture]\n");
    expect(response.output_text).toBe("I see.");
    const [row] = await shared().app.runs.list(1);
    expect(row?.usage.imageTokens).toBe(6);
  });

  it("is kept when the conversation continues, and listed as it was sent", async () => {
    const url = await dataUrl("blue");
    const first = await shared().client.responses.create({
      model: builtInModel,
      input: [{ role: "user", content: [{ type: "input_image", image_url: url, detail: "low" }] }],
    });
    await shared().client.responses.create({
      model: builtInModel,
      previous_response_id: first.id,
      input: "And now?",
    });
    expect(lastPrompt()).toBe("user: [image: blue picture]\nassistant: I see.\nuser: And now?\nassistant:");
    const items = await shared().client.responses.inputItems.list(first.id);
    expect(items.data[0]).toMatchObject({
      content: [{ type: "input_image", image_url: url, detail: "low" }],
    });
  });

  it.each([
    [{ type: "input_image", image_url: "x", detail: "huge" }, "input.0.content.0.detail", /auto, low, high/],
    [{ type: "input_image", image_url: "x" }, "input.0.content.0.image_url", /not a data: or http/],
  ])("is refused by name: %j", async (part, param, message) => {
    const asked = shared().client.responses.create({
      model: builtInModel,
      input: [{ role: "user", content: [part as never] }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, param, message });
  });

  it("may be an uploaded file, as in a messages request, and a file that is no image is refused", async () => {
    const { client, anthropic } = shared();
    const upload = (bytes: Buffer, name: string) =>
      client.files.create({ file: new File([new Uint8Array(bytes)], name), purpose: "user_data" });
    const { id } = await upload(await imageFile("red", "png"), "red.png");
    const ask = (file_id: string) =>
      client.responses.create({
        model: builtInModel,
        input: [{ role: "user", content: [{ type: "input_image", file_id, detail: "low" }] }],
      });
    await ask(id);
    expect(lastPrompt()).toBe("user: [image: red picture]\nassistant:");
    const source = { type: "file", file_id: id };
    await anthropic.messages.create({
      model: builtInModel,
      max_tokens: 9,
      messages: [{ role: "user", content: [{ type: "image", source: source as never }] }],
    });
    expect(lastPrompt()).toBe("user: [image: red picture]\nassistant:");
    const text = await upload(Buffer.from("red"), "red.txt");
    await expect(ask(text.id)).rejects.toMatchObject({ status: 400, param: "input.0.content.0.file_id" });
  });

  it("is counted without an answer", async () => {
    const image = { type: "input_image", image_url: await dataUrl("red") };
    const count = async (content: object[]): Promise<number> => {
      const answer = await fetch(`${shared().url}/v1/responses/input_tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: builtInModel, input: [{ role: "user", content }] }),
      });
      return ((await answer.json()) as { input_tokens: number }).input_tokens;
    };
    expect((await count([image])) - (await count([]))).toBe(3);
  });
});

describe("an image block of a messages request", () => {
  const blockOf = async (colour: string) => ({
    type: "image" as const,
    source: {
      type: "base64" as const,
      media_type: "image/png" as const,
      data: (await imageFile(colour)).toString("base64"),
    },
  });

  it("is replaced by its description, also inside a tool result, and counted", async () => {
    const answer = await shared().anthropic.messages.create({
      model: builtInModel,
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "What is" }, await blockOf("red"), { type: "text", text: "this?" }],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              is_error: true,
              content: [{ type: "text", text: "half" }, await blockOf("blue")],
            },
            await blockOf("#00ff00"),
          ],
        },
      ],
    });
    expect(lastPrompt()).toBe(
      "user: What is\n\n[image: red picture]\n\nthis?\nassistant: \ntool: Error: half\n\n[image: blue picture]\n" +
        "user: [image: green picture]\nassistant:",
    );
    expect(answer.content).toEqual([{ type: "text", text: "I see." }]);
    const [row] = await shared().app.runs.list(1);
    expect(row?.usage.imageTokens).toBe(9);
  });

  it("is counted by count_tokens like in the answer", async () => {
    const messages = [{ role: "user" as const, content: [await blockOf("red")] }];
    const { input_tokens: counted } = await shared().anthropic.messages.countTokens({
      model: builtInModel,
      messages,
    });
    const answer = await shared().anthropic.messages.create({ model: builtInModel, max_tokens: 9, messages });
    expect(answer.usage.input_tokens).toBe(counted);
  });

  it.each([
    [
      { type: "url", url: "http://127.0.0.1/a.png" },
      /messages\.0\.content\.0\.source\.url: .*fetches no images/,
    ],
    [{ type: "file" }, /messages\.0\.content\.0\.source\.file_id: is required/],
    [{ type: "base64", media_type: "image/bmp", data: "" }, /media_type: must be one of/],
    [{ type: "base64", media_type: "image/png", data: "!" }, /source\.data: .*base64/],
  ])("is refused by name: %j", async (source, message) => {
    const asked = shared().anthropic.messages.create({
      model: builtInModel,
      max_tokens: 9,
      messages: [{ role: "user", content: [{ type: "image", source: source as never }] }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, message });
  });
});
