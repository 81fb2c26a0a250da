/** JSON and streamed answers of the built-in model through the official client, in a common format. */
import { fileURLToPath } from "node:url";
import { readGgufFileInfo } from "node-llama-cpp";
import type OpenAI from "openai";
import type { TestServer } from "../server.js";
import { builtInModel } from "../server/settings.js";

type TokenLogprob = OpenAI.Chat.Completions.ChatCompletionTokenLogprob;

export interface FoldedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface FoldedChoice {
  content: string;
  reasoning: string;
  readonly calls: FoldedCall[];
  logprobs: TokenLogprob[] | null;
  finish: string | null;
}

export interface FoldedAnswer {
  readonly choices: readonly FoldedChoice[];
  readonly usage: OpenAI.CompletionUsage | undefined;
}

type MessageWithReasoning = { readonly content?: string | null; readonly reasoning_content?: string };

const request = (body: object) => ({
  model: builtInModel,
  messages: [{ role: "user" as const, content: "Hello!" }],
  temperature: 0,
  ...body,
});

/** Requests the answer as JSON. */
export async function requestJson(app: Pick<TestServer, "client">, body: object = {}): Promise<FoldedAnswer> {
  const answer = await app.client.chat.completions.create({ ...request(body), stream: false });
  const choices = answer.choices.map(({ message, logprobs, finish_reason: finish }) => ({
    content: message.content ?? "",
    reasoning: (message as MessageWithReasoning).reasoning_content ?? "",
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ id: call.id, ...call.function }] : [],
    ),
    logprobs: logprobs?.content ?? null,
    finish,
  }));
  return { choices, usage: answer.usage };
}

/** Requests the answer as a stream; every tool call must come in one chunk. */
export async function requestStream(
  app: Pick<TestServer, "client">,
  body: object = {},
): Promise<FoldedAnswer> {
  const stream = await app.client.chat.completions.create({
    ...request(body),
    stream: true,
    stream_options: { include_usage: true },
  });
  const choices: FoldedChoice[] = [];
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
    for (const { index, delta, logprobs, finish_reason: finish } of chunk.choices) {
      const choice = (choices[index] ??= {
        content: "",
        reasoning: "",
        calls: [],
        logprobs: null,
        finish: null,
      });
      choice.content += delta.content ?? "";
      choice.reasoning += (delta as MessageWithReasoning).reasoning_content ?? "";
      for (const { index: at, id = "", function: called } of delta.tool_calls ?? []) {
        if (at !== choice.calls.length) throw new Error(`call ${at} came in more than one chunk`);
        choice.calls.push({ id, name: called?.name ?? "", arguments: called?.arguments ?? "" });
      }
      if (logprobs?.content) choice.logprobs = [...(choice.logprobs ?? []), ...logprobs.content];
      choice.finish = finish ?? choice.finish;
    }
  }
  return { choices, usage };
}

/** Returns the first choice, which must exist. */
export function firstChoice({ choices }: FoldedAnswer): FoldedChoice {
  const [choice] = choices;
  if (choice === undefined) throw new Error("an answer without a choice");
  return choice;
}

const builtInFile = fileURLToPath(
  new URL("../../../models/hearth-tiny-5m/hearth-tiny-5m.gguf", import.meta.url),
);

/** Returns the id of the built-in model's token with this text, as a key of `logit_bias`. */
export async function tokenCalled(text: string): Promise<string> {
  const { metadata } = await readGgufFileInfo(builtInFile, { logWarnings: false });
  const id = metadata.tokenizer?.ggml.tokens.indexOf(text) ?? -1;
  if (id < 0) throw new Error(`no token '${text}'`);
  return String(id);
}
