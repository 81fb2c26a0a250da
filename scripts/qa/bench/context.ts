/**
 * Measures a long conversation, as a coding agent has it: a prompt of 32,000 tokens, the next turns, and the same after a restart;
 * and for prompts of several lengths, whether reading them from disk is faster than evaluating them.
 */
import { chatWhole, type ChatAnswer, type Target } from "../world/client.js";
import { writeBenchModel, writeWords, type BenchModel } from "../world/models.js";
import type { SectionOptions } from "./options.js";
import { residentMb, scratchFolder } from "../world/processes.js";
import { spawnServer } from "../world/server.js";
import { toRow, type Row } from "../figures/table.js";

const promptTokens = 32_000;
const contextLength = 40_960;
const answerTokens = 64;
const sampleWords = 500;
/** Lengths of the prompts that are read from disk. */
const storedTokens = [200, 1000, 4000, 16_000] as const;

export async function* contextSection({ large }: SectionOptions): AsyncIterable<readonly Row[]> {
  const model = await writeBenchModel(large ? "large" : "small", contextLength);
  const data = scratchFolder();
  const settings = {
    HEARTH_MODELS: model.folder,
    HEARTH_DATA: data.path,
    HEARTH_PREFIX_CACHE_BYTES_MAX: "17179869184",
  };
  const server = await spawnServer(settings);
  const long = writeWords(1, await wordsFor(promptTokens, server, model));
  yield [memoryRow(server.pid), row("first turn", await turn(server, model, [long]))];
  yield [row("second turn", await turn(server, model, [long, "as before", writeWords(2, 20)]))];
  const evaluated: number[] = [];
  for (const [nth, tokens] of storedTokens.entries())
    evaluated.push(
      await firstTokenMs(server, model, writeWords(10 + nth, await wordsFor(tokens, server, model))),
    );
  await server.stop();
  const restarted = await spawnServer(settings);
  await turn(restarted, model, []);
  const third = await turn(restarted, model, [
    long,
    "as before",
    writeWords(2, 20),
    "again",
    writeWords(3, 20),
  ]);
  yield [row("third turn, after a restart", third)];
  for (const [nth, tokens] of storedTokens.entries()) {
    const content = writeWords(10 + nth, await wordsFor(tokens, restarted, model));
    const read = await firstTokenMs(restarted, model, content);
    const ratio = read / (evaluated[nth] ?? Number.NaN);
    const value = `${read.toFixed(0)} ms read, ${evaluated[nth]?.toFixed(0)} ms evaluated: ${ratio.toFixed(2)}`;
    yield [toRow(`first token of a prompt of ${tokens} tokens`, value, "< 1")];
  }
  await restarted.stop();
  data.remove();
}

/** Asks for a short answer to the last of the texts; with none, a question that only loads the model. */
function turn(server: Target, model: BenchModel, texts: readonly string[]): Promise<ChatAnswer> {
  const content = texts.at(-1) ?? "warm";
  const history = texts.slice(0, -1);
  return chatWhole(server, { model: model.id, content, history, maxTokens: answerTokens, stream: true });
}

async function firstTokenMs(server: Target, model: BenchModel, content: string): Promise<number> {
  const { arrivals, askedAt } = await turn(server, model, [content]);
  return (arrivals[0] ?? Number.NaN) - askedAt;
}

/** Returns how many words have this number of tokens. */
async function wordsFor(tokens: number, server: Target, model: BenchModel): Promise<number> {
  const sample = await turn(server, model, [writeWords(1, sampleWords)]);
  return Math.floor((tokens / sample.promptTokens) * sampleWords);
}

function memoryRow(pid: number): Row {
  return toRow("memory, loaded", `${residentMb(pid).toFixed(0)} MB`);
}

function row(figure: string, answer: ChatAnswer): Row {
  const { promptTokens: prompt, cachedTokens: cached, arrivals, askedAt } = answer;
  const firstMs = (arrivals[0] ?? Number.NaN) - askedAt;
  const perSecond = (arrivals.length - 1) / (((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1000);
  const value =
    `${(firstMs / 1000).toFixed(2)} s to the first token; ${prompt} tokens, ${prompt - cached} evaluated; ` +
    `then ${perSecond.toFixed(0)} tokens/s`;
  return toRow(figure, value);
}
