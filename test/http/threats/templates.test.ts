import { join } from "node:path";
import { APIError } from "openai";
import { expect, it } from "vitest";
import { openLedger } from "../../kit/ledger.js";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";

const streams = 8;
const tokensEach = 64;
const endless = "{% for i in range(1000000000) %}x{% endfor %}";
/** Harmless until a message asks for a text of half a gigabyte. */
const sly =
  "{% if messages[0].content == 'grow' %}{% set n = namespace(x='a') %}" +
  "{% for i in range(29) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}{% endif %}hello";

/** Reads a stream to its end. @returns its finish reason. */
async function read({ client }: TestServer, onFirstToken: () => void): Promise<string | null> {
  const stream = await client.chat.completions.create({
    model: builtInModel,
    messages: [{ role: "user", content: "Count to one hundred." }],
    max_tokens: tokensEach,
    stream: true,
  });
  let reason: string | null = null;
  for await (const { choices } of stream) {
    onFirstToken();
    reason = choices[0]?.finish_reason ?? reason;
  }
  return reason;
}

/** The status and the error of a chat. */
async function chat({ client }: TestServer, model: string, content: string): Promise<[number, string]> {
  try {
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content }],
      max_tokens: 1,
    });
    return [200, answer.object];
  } catch (thrown) {
    if (thrown instanceof APIError) return [Number(thrown.status), thrown.message];
    throw thrown;
  }
}

it("C6: a chat template or its variables in a request change nothing of the prompt, with any dialect", async () => {
  const { url } = await startServer();
  const tokensOf = async (path: string, extra: object): Promise<unknown> => {
    const messages = [{ role: "user", content: "Hello!" }];
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: builtInModel, messages, input: messages, max_tokens: 1, ...extra }),
    });
    const body = (await response.json()) as { usage?: { prompt_tokens: number }; input_tokens?: number };
    return [response.status, body.usage?.prompt_tokens ?? body.input_tokens];
  };
  const template = "{{ 'replaced '.strip() }}".repeat(100);
  const given = {
    chat_template: template,
    chat_template_kwargs: { add_generation_prompt: false, messages: [], bos_token: template },
  };
  for (const path of ["/v1/chat/completions", "/v1/messages/count_tokens", "/v1/responses/input_tokens"]) {
    const plain = await tokensOf(path, {});
    expect(plain).toEqual([200, expect.any(Number)]);
    expect(await tokensOf(path, given)).toEqual(plain);
  }
});

it("C9, C10: a hostile chat template is refused by name, while every other stream ends whole, the server stays ready and the books balance", async () => {
  const folder = temporaryFolder();
  await writeModel(join(folder, "endless.gguf"), { contextLength: 256, chatTemplate: endless });
  await writeModel(join(folder, "sly.gguf"), { contextLength: 256, chatTemplate: sly });
  const data = join(temporaryFolder(), "data");
  const server = await startServer({
    environment: {
      HEARTH_DATA: data,
      HEARTH_MODELS: folder,
      HEARTH_SLOTS_PER_MODEL: String(streams),
    },
  });
  const books = await openLedger(data, "prepaid");
  await books.buy(1_000_000_000);
  expect(await chat(server, "sly", "Hello!")).toEqual([200, "chat.completion"]);
  let started = (): void => undefined;
  const oneStreams = new Promise<void>((resolve) => (started = resolve));
  const neighbours = Array.from({ length: streams }, () => read(server, started));
  await oneStreams;
  const [refusedModel, refusedConversation] = await Promise.all([
    chat(server, "endless", "Hello!"),
    chat(server, "sly", "grow"),
  ]);
  expect(refusedModel).toEqual([
    503,
    "503 The model 'endless' cannot be used: its chat template needs more than 2,000,000 steps.",
  ]);
  expect(refusedConversation).toEqual([
    400,
    "400 The chat template of the model 'sly' makes a text of more than 67,108,864 characters for this conversation.",
  ]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  for (const reason of await Promise.all(neighbours)) expect(["stop", "length"]).toContain(reason);
  expect(await chat(server, "sly", "Hello!")).toEqual([200, "chat.completion"]);
  expect((await books.balances()).reserved).toBe(0n);
  expect(await books.ledger.verify()).toEqual([]);
});
