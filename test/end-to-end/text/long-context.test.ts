/** The built-in chat model beyond what it was trained with, and answers that would not end. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const app = fileServer({});
const guide = readFileSync(join(root, "src/docs/troubleshooting.md"), "utf8");

/** Sends a request of the built-in model and returns the whole answer. */
async function post<Answer>(path: string, body: object): Promise<Answer> {
  const response = await fetch(`${app().url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, temperature: 0, ...body }),
  });
  return (await response.json()) as Answer;
}

interface Chat {
  readonly error?: { readonly code: string; readonly message: string };
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: { readonly content: string };
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

const chat = (content: string, system: string): Promise<Chat> =>
  post("/v1/chat/completions", {
    messages: [
      { role: "system", content: system },
      { role: "user", content },
    ],
  });

describe("the context of the built-in chat model", () => {
  it("is 8192 tokens: a question after twice the text that it was trained with is answered, and its answer ends", async () => {
    const { choices, usage } = await chat("What is the capital of France?", guide.slice(0, 6000));
    expect(usage.prompt_tokens).toBeGreaterThan(3500);
    expect(choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: expect.stringContaining("Paris") as string },
    });
  });

  it("keeps several long conversations apart, and short ones beside them", async () => {
    const asked = ["Name the capital of Italy.", "What is the capital of Japan?", "Hello, who are you?"];
    const systems = [guide.slice(0, 4500), guide.slice(500, 5000), "You are here to help."];
    const alone: string[] = [];
    for (const [index, question] of asked.entries())
      alone.push((await chat(question, systems[index] ?? "")).choices[0]?.message.content ?? "");
    const together = await Promise.all(asked.map((question, index) => chat(question, systems[index] ?? "")));
    expect(together.map(({ choices }) => choices[0]?.message.content)).toEqual(alone);
    expect(new Set(alone).size).toBe(3);
  });

  it("refuses what does not fit with both numbers", async () => {
    const { error } = await chat("Hello!", guide.repeat(3));
    expect(error?.code).toBe("context_length_exceeded");
    expect(error?.message).toMatch(/maximum prompt length is 8191 but the request contains \d+ tokens/);
  });
});

describe("an answer of the built-in chat model ends after 1024 tokens where the request states no limit:", () => {
  const question = "Count from 1 to a 1000000";
  const messages = [{ role: "user", content: question }];

  it("as `length` in chat completions, whole and streamed", async () => {
    const { choices, usage } = await post<Chat>("/v1/chat/completions", { messages });
    expect([choices[0]?.finish_reason, usage.completion_tokens]).toEqual(["length", 1024]);
    const stream = await app().client.chat.completions.create({
      model: builtInModel,
      temperature: 0,
      messages: [{ role: "user", content: question }],
      stream: true,
    });
    let finish: string | null | undefined = null;
    for await (const chunk of stream) finish = chunk.choices[0]?.finish_reason ?? finish;
    expect(finish).toBe("length");
  });

  it("as `incomplete` in responses, which say the limit", async () => {
    expect(await post("/v1/responses", { input: question })).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      max_output_tokens: 1024,
      usage: { output_tokens: 1024 },
    });
  });

  it("and a stated limit applies instead, also the one that a dialect requires or has by default", async () => {
    const more = await post<Chat>("/v1/chat/completions", { messages, max_tokens: 1200 });
    expect(more.usage.completion_tokens).toBe(1200);
    expect(await post("/v1/messages", { messages, max_tokens: 50 })).toMatchObject({
      stop_reason: "max_tokens",
      usage: { output_tokens: 50 },
    });
    expect(
      await post("/v1/complete", {
        prompt: `\n\nHuman: ${question}\n\nAssistant:`,
        max_tokens_to_sample: 40,
      }),
    ).toMatchObject({
      stop_reason: "max_tokens",
    });
    expect(await post("/v1/completions", { prompt: "1, 2, 3, 4, 5" })).toMatchObject({
      usage: { completion_tokens: 16 },
      choices: [{ finish_reason: "length" }],
    });
  });

  it.each(["1, 2, 3", "1 2 3 4 5", "Count from 1 to 100, separated by commas.", "Count to a million."])(
    "%s ends, too",
    async (content) => {
      const { choices, usage } = await post<Chat>("/v1/chat/completions", {
        messages: [{ role: "user", content }],
      });
      expect(usage.completion_tokens).toBeLessThanOrEqual(1024);
      expect(["stop", "length"]).toContain(choices[0]?.finish_reason);
    },
  );
});
