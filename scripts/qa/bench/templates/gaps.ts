/** Measures the gaps between the tokens of eight streams, with and without hostile templates beside them. */
import { join } from "node:path";
import { writeModel } from "../../../../test/kit/models/gguf-writer.js";
import { chat, chatWhole, readGaps } from "../../world/client.js";
import { scratchFolder } from "../../world/processes.js";
import { tinyModel, spawnServer, type ServerProcess } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";

const streams = 8;
/** Rounds with and without hostile templates take turns. */
const rounds = 7;
const tokensPerStream = 400;
const arrivalsMin = 50;
const recoveryMsMax = 5_000;

/** Harmless in the trial of the model; in a conversation, each uses up what a rendering may. */
const trap = (inside: string): string => `{% if messages[0].content == 'now' %}${inside}{% endif %}hello`;
const templates = {
  loop: trap(
    "{% for i in range(1000000) %}{% for j in range(1000000) %}{{ '' and j }}{% endfor %}{% endfor %}",
  ),
  memory: trap(
    "{% set n = namespace(x='a') %}{% for i in range(40) %}{% set n.x = n.x | replace('a', 'aaaa') %}{% endfor %}",
  ),
} as const;

export async function templateGapRows(): Promise<readonly Row[]> {
  const folder = scratchFolder();
  for (const [id, chatTemplate] of Object.entries(templates))
    await writeModel(join(folder.path, `${id}.gguf`), { contextLength: 256, chatTemplate });
  const server = await spawnServer({ HEARTH_MODELS: folder.path, HEARTH_SLOTS_PER_MODEL: String(streams) });
  try {
    return await measure(server);
  } finally {
    await server.stop();
    folder.remove();
  }
}

async function measure(server: ServerProcess): Promise<readonly Row[]> {
  for (const model of [tinyModel, ...Object.keys(templates)])
    await chat(server, { model, content: "Hello!", maxTokens: 1, stream: false });
  await readStreams(server);
  const [alone, beside]: [(readonly number[])[], (readonly number[])[]] = [[], []];
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await readStreams(server));
    const attack = startAttack(server);
    beside.push(await readStreams(server));
    refused += await attack.stop();
  }
  // The median of the rounds: one round in which another program was busy would decide the p99 of all gaps together.
  const typical = (gaps: readonly (readonly number[])[], share: number): number =>
    quantile(
      gaps.map((round) => quantile(round, share)),
      0.5,
    );
  const shown = (gaps: readonly (readonly number[])[]): string =>
    `${typical(gaps, 0.5).toFixed(1)} ms, ${typical(gaps, 0.99).toFixed(1)} ms`;
  const ratio = (share: number): string => (typical(beside, share) / typical(alone, share)).toFixed(2);
  return [
    toRow(`gaps of ${streams} streams alone, p50 and p99`, shown(alone)),
    toRow("beside two hostile templates, p50 and p99", shown(beside)),
    toRow("p50, beside / alone", ratio(0.5)),
    toRow("p99, beside / alone", ratio(0.99), "<= 2"),
    toRow("conversations refused meanwhile", String(refused)),
    toRow("ready after the last one", await readyAfter(server), `< ${recoveryMsMax} ms`),
  ];
}

/** Reads all streams to their ends. @returns the gaps between tokens in ms. @throws Error if a stream is cut, or too short to measure */
async function readStreams(server: ServerProcess): Promise<readonly number[]> {
  const ask = { model: tinyModel, content: "Tell me a story.", maxTokens: tokensPerStream, stream: true };
  const answers = await Promise.all(Array.from({ length: streams }, () => chatWhole(server, ask)));
  return answers.flatMap((answer) => {
    const { length } = answer.arrivals;
    if (length < arrivalsMin) throw new Error(`a stream had only ${length} parts`);
    return readGaps(answer);
  });
}

/** Asks each hostile model again and again. */
function startAttack(server: ServerProcess): { stop(): Promise<number> } {
  let isOver = false;
  const attacker = async (model: string): Promise<number> => {
    let refused = 0;
    while (!isOver) {
      const { status } = await chat(server, { model, content: "now", maxTokens: 1, stream: false });
      if (status !== 400) throw new Error(`${model} was answered with ${status}`);
      refused += 1;
    }
    return refused;
  };
  const attackers = Object.keys(templates).map(attacker);
  return {
    async stop() {
      isOver = true;
      return (await Promise.all(attackers)).reduce((sum, count) => sum + count, 0);
    },
  };
}

async function readyAfter({ url }: ServerProcess): Promise<string> {
  const began = performance.now();
  while ((await fetch(`${url}/readyz`)).status !== 200)
    if (performance.now() - began > recoveryMsMax) return "not ready";
  return `${(performance.now() - began).toFixed(0)} ms`;
}
