/**
 * Measures the time from a client's disconnection until its slot is free. There is one slot; the next request
 * is sent when the first client closes its connection, and needs that slot. Its `x-hearth-queue-ms` is its
 * time in the queue, without the time before it was queued. The time from the disconnection to the headers of
 * its answer, minus its own prefill, includes everything and is an upper bound.
 */
import { chat, chatWhole, headerMs, type Target } from "../../world/client.js";
import { writeBenchModel, writeWords, type BenchModel } from "../../world/models.js";
import { spawnServer } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import { seeded } from "../../../../test/kit/models/gguf-writer/weights.js";

const rounds = 100;
const longPromptWords = 450;

type Moment = "decode" | "prefill";

export async function leavingRows(): Promise<readonly Row[]> {
  const model = await writeBenchModel("small");
  const server = await spawnServer({ HEARTH_MODELS: model.folder, HEARTH_SLOTS_PER_MODEL: "1" });
  await chat(server, { model: model.id, content: "warm", maxTokens: 8, stream: true });
  const rows: Row[] = [];
  for (const moment of ["decode", "prefill"] as const) rows.push(...(await leavingAt(moment, server, model)));
  await server.stop();
  return rows;
}

async function leavingAt(moment: Moment, server: Target, model: BenchModel): Promise<readonly Row[]> {
  const random = seeded(7);
  const queued: number[] = [];
  const atMost: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const kind = 5000 + round * 2 + (moment === "prefill" ? 1000 : 0);
    const leftAt = await leave(moment, server, model, { kind, delayMs: 5 + random() * 60 });
    const ask = { model: model.id, content: writeWords(kind + 1, 4), maxTokens: 1, stream: false };
    const next = await chatWhole(server, ask);
    queued.push(headerMs(next, "queue"));
    atMost.push(Math.max(0, next.headersAt - leftAt - headerMs(next, "prefill")));
  }
  const p99 = (samples: readonly number[]): string =>
    `${quantile(samples, 0.99).toFixed(0)} ms (p50 ${quantile(samples, 0.5).toFixed(0)} ms)`;
  const figure = `client leaves in ${moment}`;
  return [
    toRow(`${figure}: the next one's time in the queue, p99`, p99(queued)),
    toRow(`${figure}: slot free after at most, p99`, p99(atMost), "< 200 ms"),
  ];
}

interface Leaving {
  readonly kind: number;
  readonly delayMs: number;
}

/** Occupies the slot and disconnects at a random moment. @returns the time of the disconnection */
async function leave(
  moment: Moment,
  server: Target,
  model: BenchModel,
  { kind, delayMs }: Leaving,
): Promise<number> {
  const leaving = new AbortController();
  let leftAt = 0;
  const leaveSoon = (): void =>
    void setTimeout(() => {
      leftAt = performance.now();
      leaving.abort();
    }, delayMs);
  const content = writeWords(kind, moment === "prefill" ? longPromptWords : 4);
  const asked = chat(server, {
    model: model.id,
    content,
    maxTokens: 4000,
    stream: true,
    signal: leaving.signal,
    onText: (nth) => {
      if (moment === "decode" && nth === 5) leaveSoon();
    },
  });
  if (moment === "prefill") leaveSoon();
  await asked.then(
    () => undefined,
    () => undefined,
  );
  if (leftAt === 0) throw new Error("the answer ended before its client left");
  return leftAt;
}
