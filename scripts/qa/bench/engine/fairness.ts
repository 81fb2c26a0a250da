/** Measures how long a team with few requests waits while another team floods the server. */
import { setMaxListeners } from "node:events";
import { chat, chatWhole, type Target } from "../../world/client.js";
import { writeWords, type BenchModel } from "../../world/models.js";
import { spawnServer } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import { addTeam } from "../../world/teams.js";

const floodClients = 16;

export interface FairnessEffort {
  /** The number of requests of the light team in each situation. */
  readonly requests: number;
  readonly tokensPerAnswer: number;
}

/** The light team sends one request at a time; the number of slots is the server's default. */
export async function fairnessRows(model: BenchModel, effort: FairnessEffort): Promise<readonly Row[]> {
  const server = await spawnServer({
    HEARTH_MODELS: model.folder,
    HEARTH_CONTEXT_TOKENS_MAX: "1024",
  });
  const flooding: Target = server;
  const light = await addTeam(server, "light");
  await asking(light, model, { ...effort, requests: 2 }, 0);
  const alone = await asking(light, model, effort, 1);
  const flood = startFlood(flooding, model, effort.tokensPerAnswer);
  const flooded = await asking(light, model, effort, 2);
  const sameTeam = await asking(flooding, model, { ...effort, requests: effort.requests / 2 }, 3);
  await flood.stop();
  await server.stop();
  const p95 = (samples: readonly number[]): string =>
    `${quantile(samples, 0.95).toFixed(0)} ms (p50 ${quantile(samples, 0.5).toFixed(0)} ms)`;
  const answers = `${effort.tokensPerAnswer} tokens`;
  return [
    toRow(`light team alone, ${answers}, p95`, p95(alone)),
    toRow(`with another team of ${floodClients} clients, p95`, p95(flooded)),
    toRow("the same with the flooding team's key, p95", p95(sameTeam)),
    toRow(
      "light team's p95, with flood / alone",
      (quantile(flooded, 0.95) / quantile(alone, 0.95)).toFixed(2),
      "<= 2",
    ),
  ];
}

/** Returns the times of sequential answers in milliseconds. */
async function asking(
  target: Target,
  model: BenchModel,
  { requests, tokensPerAnswer }: FairnessEffort,
  kind: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < requests; nth += 1) {
    const content = writeWords(1000 * kind + nth, 6);
    const ask = { model: model.id, content, maxTokens: tokensPerAnswer, stream: false };
    const answer = await chatWhole(target, ask);
    times.push(answer.endedAt - answer.askedAt);
  }
  return times;
}

function startFlood(target: Target, model: BenchModel, maxTokens: number): { stop(): Promise<void> } {
  const leaving = new AbortController();
  setMaxListeners(floodClients, leaving.signal);
  const client = async (index: number): Promise<void> => {
    for (let nth = 0; !leaving.signal.aborted; nth += 1) {
      const content = writeWords(100_000 + index * 1000 + nth, 6);
      const ask = { model: model.id, content, maxTokens, stream: false, signal: leaving.signal };
      await chat(target, ask).catch(() => undefined);
    }
  };
  const clients = Array.from({ length: floodClients }, (_, index) => client(index));
  return {
    async stop() {
      leaving.abort();
      await Promise.all(clients);
    },
  };
}
