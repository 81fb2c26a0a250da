import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapterBytes } from "../../kit/models/gguf-writer/adapter.js";
import { encoderBytes } from "../../kit/models/gguf-writer/encoder.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { requestJson } from "../../kit/clients/chat-answers.js";
import { answerOf, configuredApp } from "./configured.js";

const greeting = "{% for message in messages %}Hi {{ message.content }} {% endfor %}";
const prices = { prompt: 1, completion: 2 };

const shared = configuredApp(
  {
    base: {
      context: 512,
      template: greeting,
      prices,
      system: "You are the base.",
      sampling: { maxTokens: 3 },
    },
    first: { base: "base" },
    second: { base: "base", context: 256, prices: { prompt: 3 } },
    weak: { base: "base", scale: 0.5 },
    none: { base: "base", scale: 0 },
    "of-an-adapter": { base: "first" },
    "of-nothing": { base: "nowhere" },
    "of-a-refused": { base: "whole" },
    "of-an-encoder": { base: "encoder" },
    foreign: { base: "base" },
    ia3: { base: "base" },
    activated: { base: "base" },
    whole: { scale: 2 },
  },
  async (folder) => {
    await writeVerifiedModel(folder, "base");
    await writeVerifiedModel(folder, "whole");
    const foreign = adapterBytes({ base: { architecture: "llama" } });
    const ia3 = adapterBytes({ metadata: { "adapter.type": { type: "string", value: "ia3" } } });
    const tokens = { aggregateArrays: "u32", values: [1, 2] } as const;
    const activated = adapterBytes({ metadata: { "adapter.alora.invocation_tokens": tokens } });
    const usual = [
      "first",
      "weak",
      "none",
      "lonely",
      "of-an-adapter",
      "of-nothing",
      "of-a-refused",
      "of-an-encoder",
    ];
    const files = [
      ...usual.map((name) => [name, adapterBytes()] as const),
      ["second", adapterBytes({ seed: 2 })],
      ["foreign", foreign],
      ["ia3", ia3],
      ["activated", activated],
      ["encoder", encoderBytes()],
    ] as const;
    for (const [name, bytes] of files) writeFileSync(join(folder, `${name}.gguf`), bytes);
  },
);

describe("a LoRA adapter with a base", () => {
  it("is a model of its own, beside its base and other adapters of it; a scale of 0 changes nothing", async () => {
    const names = ["base", "none", "weak", "first", "second"];
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello world" },
    ];
    const ask = (model: string) => answerOf(shared(), model, { messages });
    const together = await Promise.all(names.map((name) => ask(name)));
    expect(new Set(together).size).toBe(4);
    expect(together[1]).toBe(together[0]);
    for (const [at, name] of names.entries()) expect(await ask(name)).toBe(together[at]);
    const { data } = await shared().client.models.list();
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(names));
  });

  it("has the template, context and prices of its base, unless it has settings of its own, and not its defaults", () => {
    const { models } = shared().app;
    const [base, first, second] = ["base", "first", "second"].map((id) => models.find(id));
    expect(first?.load).toMatchObject({ template: greeting, adapters: [{ scale: 1 }] });
    expect([first?.manifest.contextTokens, second?.manifest.contextTokens]).toEqual([512, 256]);
    expect(first?.manifest.prices).toEqual(base?.manifest.prices);
    expect(second?.manifest.prices).toMatchObject({
      promptTextTokenTicks: 30_000,
      completionTextTokenTicks: 20_000,
    });
    expect(base?.defaults).toMatchObject({ system: "You are the base." });
    expect([first?.defaults, second?.defaults]).toEqual([undefined, undefined]);
    const prints = ["base", "none", "weak", "first", "second"].map((id) => models.find(id)?.fingerprint);
    expect(new Set(prints).size).toBe(5);
  });

  it("answers with its own name", async () => {
    const answer = await shared().client.chat.completions.create({
      model: "first",
      messages: [{ role: "user", content: "Hello!" }],
      max_tokens: 1,
    });
    expect(answer.model).toBe("first");
  });
});

describe("a LoRA adapter that cannot be used", () => {
  it.each([
    ["lonely", "it is a LoRA adapter; name the model that it adapts: hearth set lonely base=MODEL"],
    ["of-nothing", "its base 'nowhere' is not the id of a model, or a LoRA adapter itself."],
    ["of-an-adapter", "its base 'first' is not the id of a model, or a LoRA adapter itself."],
    ["of-a-refused", "its base 'whole' cannot be used: its settings base and scale are for LoRA adapters"],
    ["of-an-encoder", "it cannot be applied to its base: 'encoder' is not a chat model."],
    ["foreign", "it adapts models of the architecture 'llama', and 'base' is a 'qwen3'."],
    ["ia3", "its adapter.type is 'ia3', not 'lora'."],
    ["activated", "it is an activated LoRA, which takes effect after certain tokens only"],
  ])("is listed as unusable with the reason: %s", async (model, reason) => {
    await expect(requestJson(shared(), { model })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(`The model '${model}' cannot be used: `) as string,
      code: "model_unavailable",
    });
    expect(shared().app.models.find(model)?.unusable).toContain(reason);
  });
});
