/**
 * Measures how long the reader of a stream waits for the next token while the long prompt of another client
 * is evaluated.
 */
import { chat, type ChatAnswer } from "../../world/client.js";
import { writeWords, type BenchModel } from "../../world/models.js";
import { spawnServer, type ServerProcess } from "../../world/server.js";
import { quantile, spread, toRow, type Row } from "../../figures/table.js";

const longPromptTokens = 4000;
const contextTokens = 6000;
const probeWords = 200;

export interface GapEffort {
  readonly rounds: number;
  /** The number of tokens that the reader receives before the long prompt is sent. */
  readonly tokensBefore: number;
}

/** Returns p99 and maximum of the gaps, with and without the long prompt, and the prompt's time with and without the stream. */
export async function gapRows(model: BenchModel, effort: GapEffort): Promise<readonly Row[]> {
  const server = await spawnServer({
    HEARTH_MODELS: model.folder,
    HEARTH_SLOTS_PER_MODEL: "2",
    HEARTH_CONTEXT_TOKENS_MAX: String(contextTokens),
  });
  const ask = { model: model.id, maxTokens: 1, stream: true };
  const probe = await chat(server, { ...ask, content: writeWords(1, probeWords) });
  const words = Math.round((longPromptTokens / probe.promptTokens) * probeWords);
  const gaps = { alone: [] as number[], disturbed: [] as number[] };
  const firstTokens = { alone: [] as number[], beside: [] as number[] };
  let tokens = 0;
  for (let round = 0; round < effort.rounds; round += 1) {
    const alone = await chat(server, { ...ask, content: writeWords(1000 + round, words) });
    firstTokens.alone.push((alone.arrivals[0] ?? alone.endedAt) - alone.askedAt);
    const { arrivals, long } = await disturb(
      server,
      model,
      writeWords(10 + round, words),
      effort.tokensBefore,
    );
    const until = long.arrivals[0] ?? long.endedAt;
    gaps.alone.push(...gapsBetween(arrivals, 0, long.askedAt));
    gaps.disturbed.push(...gapsBetween(arrivals, long.askedAt, until));
    firstTokens.beside.push(until - long.askedAt);
    tokens = long.promptTokens;
  }
  await server.stop();
  const p99 = (samples: readonly number[]): string =>
    `${quantile(samples, 0.99).toFixed(1)} ms (longest ${quantile(samples, 1).toFixed(1)} ms)`;
  return [
    toRow("gap between tokens of a stream, alone, p99", p99(gaps.alone)),
    toRow(`during a prompt of ${tokens} tokens, p99`, p99(gaps.disturbed)),
    toRow("TTFT of such a prompt alone", spread(firstTokens.alone, 0, "ms")),
    toRow("TTFT of that prompt beside the stream", spread(firstTokens.beside, 0, "ms")),
    toRow(
      "TTFT beside the stream / alone",
      spread(
        firstTokens.beside.map((ms, round) => ms / (firstTokens.alone[round] ?? Number.NaN)),
        2,
        "",
      ),
      "<= 1.5",
    ),
  ];
}

interface Disturbed {
  /** The arrival times of the reader's tokens. */
  readonly arrivals: readonly number[];
  readonly long: ChatAnswer;
}

async function disturb(
  server: ServerProcess,
  model: BenchModel,
  content: string,
  tokensBefore: number,
): Promise<Disturbed> {
  const ask = { model: model.id, stream: true };
  const arrivals: number[] = [];
  const leaving = new AbortController();
  const longs: Promise<ChatAnswer>[] = [];
  const reading = chat(server, {
    ...ask,
    content: writeWords(2, 6),
    maxTokens: contextTokens,
    signal: leaving.signal,
    onText(nth) {
      arrivals.push(performance.now());
      if (nth !== tokensBefore) return;
      const long = chat(server, { ...ask, content, maxTokens: 1 });
      longs.push(long);
      long.then(
        () => leaving.abort(),
        () => leaving.abort(),
      );
    },
  });
  await reading.catch(() => undefined);
  const [long] = await Promise.all(longs);
  if (long === undefined) throw new Error("the reader's stream ended too early");
  return { arrivals, long };
}

/** Returns the gaps that end between two times. */
function gapsBetween(arrivals: readonly number[], from: number, to: number): readonly number[] {
  return arrivals.flatMap((at, index) => {
    const before = arrivals[index - 1];
    return before === undefined || at < from || at > to ? [] : [at - before];
  });
}
