/**
 * `npm run eval:builtin`: how well the built-in model does on questions it was not trained on, asked over HTTP through the
 * official client; scripts/train/chat/data.py leaves out of training whatever clashes with one of them. Scores are a measure,
 * not a check: it exits with 0 whenever it could ask, 1 when the server failed, 2 when it was called wrongly.
 *
 *   --json             the scores and every outcome as JSON
 *   --skill NAME       only the items of this skill; may be given more than once
 *   --show-failures    also what was asked, answered and missed
 *   --model ID         another model than the first that the server lists
 *   --items FILE       another file of items than scripts/train/chat/heldout.jsonl
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import OpenAI from "openai";
import { askAll, type Outcome } from "./eval-builtin/ask.js";
import { readItems, type Item } from "./eval-builtin/items.js";
import { startServer } from "./eval-builtin/server.js";
import { renderFailures, renderTable, scoreOf, scoresOf } from "./eval-builtin/table.js";

const concurrency = 4;
const requestTimeoutMs = 300_000;
const heldOut = fileURLToPath(new URL("train/chat/heldout.jsonl", import.meta.url));

const options = {
  json: { type: "boolean", default: false },
  "show-failures": { type: "boolean", default: false },
  skill: { type: "string", multiple: true },
  model: { type: "string" },
  items: { type: "string", default: heldOut },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  let values;
  let items: readonly Item[];
  try {
    ({ values } = parseArgs({ options, allowPositionals: false }));
    items = chosen(await readItems(values.items), values.skill ?? []);
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
  try {
    const { model, outcomes, wallSeconds } = await evaluate(items, values.model ?? null);
    if (values.json)
      process.stdout.write(`${JSON.stringify(report(model, outcomes, wallSeconds), null, 2)}\n`);
    else process.stdout.write(`${text(model, outcomes, wallSeconds, values["show-failures"])}\n`);
    return 0;
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 1;
  }
}

function chosen(items: readonly Item[], skills: readonly string[]): readonly Item[] {
  const known = [...new Set(items.map((item) => item.skill))].sort();
  const unknown = skills.find((skill) => !known.includes(skill));
  if (unknown !== undefined) throw new Error(`there is no skill '${unknown}'; there are ${known.join(", ")}`);
  return skills.length === 0 ? items : items.filter((item) => skills.includes(item.skill));
}

interface Evaluation {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
  readonly wallSeconds: number;
}

async function evaluate(items: readonly Item[], wanted: string | null): Promise<Evaluation> {
  const server = await startServer();
  try {
    const client = new OpenAI({
      baseURL: server.baseUrl,
      apiKey: server.apiKey,
      maxRetries: 0,
      timeout: requestTimeoutMs,
    });
    const model = wanted ?? (await client.models.list()).data[0]?.id;
    if (model === undefined) throw new Error("the server has no models");
    // The first answer waits for the model to be loaded; that is not its speed.
    await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Hello" }],
      max_completion_tokens: 1,
    });
    const started = performance.now();
    const outcomes = await askAll(client, model, items, concurrency, progress(items.length));
    return { model, outcomes, wallSeconds: (performance.now() - started) / 1000 };
  } finally {
    await server.stop();
  }
}

function progress(total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done} of ${total}${done === total ? "\r\x1b[K" : ""}`);
  };
}

function report(model: string, outcomes: readonly Outcome[], wallSeconds: number): object {
  return { model, wallSeconds, scores: scoresOf(outcomes), total: scoreOf("total", outcomes), outcomes };
}

function text(
  model: string,
  outcomes: readonly Outcome[],
  wallSeconds: number,
  showFailures: boolean,
): string {
  const tokens = outcomes.reduce((sum, outcome) => sum + outcome.tokens, 0);
  const rate = wallSeconds === 0 ? 0 : Math.round(tokens / wallSeconds);
  const failures = showFailures ? renderFailures(outcomes) : "";
  return [
    ...(failures === "" ? [] : [failures, ""]),
    `${model}, ${outcomes.length} items in ${wallSeconds.toFixed(1)} s, ${concurrency} at a time: ${rate} tok/s together`,
    "",
    renderTable(scoresOf(outcomes), scoreOf("total", outcomes)),
  ].join("\n");
}
