/**
 * Compares the speed of answers that follow a schema, with forced text evaluated at once and without, by two servers in turn. The prompt
 * has the schema, as a client that wants a useful answer writes it, and is evaluated beforehand. Each schema is asked for several times.
 */
import { readFileSync } from "node:fs";
import { postJson, readText } from "../../world/client.js";
import { processCpuMs } from "../../world/processes.js";
import { firstKey, tinyModel, spawnServer, type ServerProcess } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import type { SchemaFile } from "./corpus.js";

const schemasMax = 30;
/** Longer schemas leave the built-in model no room. */
const schemaBytesMax = 1_000;
const temperatures = [0, 0.7, 1];

interface Timed {
  readonly text: string;
  readonly tokens: number;
  readonly ms: number;
  /** CPU time of the server. */
  readonly cpuMs: number;
}

export async function forcedRows(files: readonly SchemaFile[]): Promise<readonly Row[]> {
  const on = await spawnServer({});
  const off = await spawnServer({ HEARTH_FORCED_TOKENS: "off", HEARTH_PROMPT_LOOKUP: "off" });
  const ratios: number[] = [];
  const totals = { on: { tokens: 0, cpuMs: 0 }, off: { tokens: 0, cpuMs: 0 } };
  let same = 0;
  try {
    for (const schema of shortSchemas(files)) {
      for (const server of [on, off]) await ask(server, schema, 0, 1);
      for (const [nth, temperature] of temperatures.entries()) {
        const first = nth % 2 === 0 ? on : off;
        const one = await ask(first, schema, temperature);
        const other = await ask(first === on ? off : on, schema, temperature);
        if (one === null || other === null) continue;
        const [drafted, plain] = first === on ? [one, other] : [other, one];
        ratios.push(drafted.tokens / drafted.ms / (plain.tokens / plain.ms));
        if (drafted.text === plain.text) same += 1;
        for (const [total, { tokens, cpuMs }] of [
          [totals.on, drafted],
          [totals.off, plain],
        ] as const) {
          total.tokens += tokens;
          total.cpuMs += cpuMs;
        }
      }
    }
  } finally {
    await on.stop();
    await off.stop();
  }
  const perCpu = totals.on.tokens / totals.on.cpuMs / (totals.off.tokens / totals.off.cpuMs);
  return [
    toRow(
      "over HTTP: tokens/s with forced text at once / one by one",
      `median ${quantile(ratios, 0.5).toFixed(2)} (p10 ${quantile(ratios, 0.1).toFixed(2)}, p90 ${quantile(ratios, 0.9).toFixed(2)})`,
      ">= 1.4",
    ),
    toRow("over HTTP: tokens per CPU second of the server, the same", perCpu.toFixed(2)),
    toRow("over HTTP: equal answers of the two (others: rounding)", `${same} of ${ratios.length}`),
  ];
}

function shortSchemas(files: readonly SchemaFile[]): readonly object[] {
  const all = files
    .map(({ path }) => (JSON.parse(readFileSync(path, "utf8")) as { readonly schema: object }).schema)
    .filter((schema) => JSON.stringify(schema).length <= schemaBytesMax);
  const step = Math.max(1, all.length / schemasMax);
  return all.filter((_, nth) => Math.floor(nth / step) !== Math.floor((nth - 1) / step));
}

/** Returns null for a schema that is refused. */
async function ask(
  server: ServerProcess,
  schema: object,
  temperature: number,
  maxTokens = 200,
): Promise<Timed | null> {
  const [since, cpuBefore] = [performance.now(), processCpuMs(server.pid)];
  const answer = await postJson(
    `${server.url}/v1/chat/completions`,
    JSON.stringify({
      model: tinyModel,
      messages: [{ role: "user", content: `Answer with JSON of this schema: ${JSON.stringify(schema)}` }],
      max_tokens: maxTokens,
      temperature,
      seed: 1,
      reasoning_effort: "none",
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    }),
    { authorization: `Bearer ${firstKey}` },
  );
  const body = JSON.parse(await readText(answer)) as {
    readonly choices?: readonly [{ readonly message: { readonly content: string } }];
    readonly usage?: { readonly completion_tokens: number };
  };
  const [choice] = body.choices ?? [];
  const tokens = body.usage?.completion_tokens ?? 0;
  if (choice === undefined || tokens === 0) return null;
  return {
    text: choice.message.content,
    tokens,
    ms: performance.now() - since,
    cpuMs: processCpuMs(server.pid) - cpuBefore,
  };
}
