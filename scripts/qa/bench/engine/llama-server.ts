/** llama.cpp's own server, if available: LLAMA_SERVER is the path of the program. */
import { spawnLlamaServer } from "../../../../test/kit/doubles/llama-server/process.js";
import { postJson, readFrames, readText } from "../../world/client.js";
import type { BenchModel } from "../../world/models.js";
import { atEnd, stopProcess } from "../../world/processes.js";
import type { Contender, TokenizedPrompt, Terms, TimedAnswer } from "./contender.js";

/** Starts llama-server on the same file, with all cores, and the same slots and context. */
export async function startLlamaContender(model: BenchModel, terms: Terms): Promise<Contender> {
  const { slots, contextTokens, cores: threads } = terms;
  const server = await spawnLlamaServer(model.file, { slots, contextTokens, threads }, atEnd);
  return {
    name: "llama-server",
    answer: (prompts, maxTokens) =>
      Promise.all(prompts.map((prompt) => complete(server.url, prompt, maxTokens))),
    close: () => stopProcess(server.child),
  };
}

interface Frame {
  readonly content?: string;
  readonly stop?: boolean;
  readonly tokens_predicted?: number;
  readonly timings?: { readonly cache_n?: number };
}

async function complete(url: string, prompt: TokenizedPrompt, maxTokens: number): Promise<TimedAnswer> {
  const body = {
    prompt: prompt.tokens,
    n_predict: maxTokens,
    temperature: 0,
    cache_prompt: true,
    stream: true,
  };
  const askedAt = performance.now();
  const response = await postJson(`${url}/completion`, JSON.stringify(body), {});
  if (response.status !== 200)
    throw new Error(`llama-server: ${response.status} ${await readText(response)}`);
  const arrivals: number[] = [];
  let last: Frame = {};
  await readFrames(response, (data) => {
    last = JSON.parse(data) as Frame;
    if (last.content !== undefined && last.content !== "") arrivals.push(performance.now());
  });
  const tokens = last.tokens_predicted ?? arrivals.length;
  return { askedAt, arrivals, tokens, cachedTokens: last.timings?.cache_n ?? 0 };
}
