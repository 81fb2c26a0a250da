/**
 * `npm run eval:builtin`: how well the built-in models do on what they were not trained on. The chat model is asked over HTTP
 * through the official client (scripts/train/chat/data.py leaves out of training whatever clashes with one of its questions), as
 * is the one that draws; the one that sees describes pictures (eval-builtin/pictures.ts). Scores are a measure,
 * not a check: it exits with 0 whenever it could ask, 1 when the server failed, 2 when it was called wrongly.
 *
 *   --json             the scores and every outcome as JSON
 *   --skill NAME       only the items of this skill; may be given more than once
 *   --show-failures    also what was asked, answered and missed
 *   --model ID         another chat model than the first that the server lists
 *   --items FILE       another file of items than scripts/train/chat/heldout.jsonl, and no pictures
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import OpenAI from "openai";
import { askAll, type Outcome } from "./eval-builtin/ask.js";
import { readItems, type Item } from "./eval-builtin/items.js";
import { askPictures, pictureSkills, type PictureOutcomes } from "./eval-builtin/pictures.js";
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
  let plan: Plan;
  try {
    ({ values } = parseArgs({ options, allowPositionals: false }));
    const pictures = values.items === heldOut ? pictureSkills : [];
    plan = planned(await readItems(values.items), pictures, values.skill ?? []);
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
  try {
    const evaluation = await evaluate(plan, values.model ?? null);
    const told = values.json
      ? JSON.stringify(report(evaluation), null, 2)
      : text(evaluation, values["show-failures"]);
    process.stdout.write(`${told}\n`);
    return 0;
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 1;
  }
}

interface Plan {
  /** What the chat model is asked. */
  readonly items: readonly Item[];
  /** Skills of the models that see and draw. */
  readonly pictures: readonly string[];
}

/** @param skills those that are wanted; none: all. */
function planned(items: readonly Item[], pictures: readonly string[], skills: readonly string[]): Plan {
  const known = [...new Set([...items.map((item) => item.skill), ...pictures])].sort();
  const unknown = skills.find((skill) => !known.includes(skill));
  if (unknown !== undefined) throw new Error(`there is no skill '${unknown}'; there are ${known.join(", ")}`);
  if (skills.length === 0) return { items, pictures };
  const isWanted = (skill: string): boolean => skills.includes(skill);
  return { items: items.filter(({ skill }) => isWanted(skill)), pictures: pictures.filter(isWanted) };
}

interface LanguageModels {
  readonly models: readonly { readonly id: string }[];
}

interface ChatOutcomes {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
  readonly wallSeconds: number;
}

interface Evaluation {
  /** null: the chat model was asked nothing. */
  readonly chat: ChatOutcomes | null;
  readonly pictures: readonly PictureOutcomes[];
}

async function evaluate({ items, pictures }: Plan, wanted: string | null): Promise<Evaluation> {
  const server = await startServer();
  try {
    const client = new OpenAI({
      baseURL: server.baseUrl,
      apiKey: server.apiKey,
      maxRetries: 0,
      timeout: requestTimeoutMs,
    });
    return {
      chat: items.length === 0 ? null : await chat(client, items, wanted),
      pictures: pictures.length === 0 ? [] : await askPictures(client, pictures),
    };
  } finally {
    await server.stop();
  }
}

async function chat(client: OpenAI, items: readonly Item[], wanted: string | null): Promise<ChatOutcomes> {
  const model = wanted ?? (await client.get<LanguageModels>("/language-models")).models[0]?.id;
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
}

function progress(total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done} of ${total}${done === total ? "\r\x1b[K" : ""}`);
  };
}

function report({ chat: asked, pictures }: Evaluation): object {
  const scored = <T extends PictureOutcomes>(told: T): object => ({
    ...told,
    scores: scoresOf(told.outcomes),
  });
  const total = asked === null ? {} : { ...scored(asked), total: scoreOf("total", asked.outcomes) };
  return { ...total, pictures: pictures.map(scored) };
}

function text({ chat: asked, pictures }: Evaluation, showFailures: boolean): string {
  const failures = [...(asked === null ? [] : [asked]), ...pictures].map(({ outcomes }) =>
    renderFailures(outcomes),
  );
  return [
    ...(showFailures ? failures.filter((each) => each !== "") : []),
    ...(asked === null ? [] : [chatText(asked)]),
    ...pictures.map(pictureText),
  ].join("\n\n");
}

function chatText({ model, outcomes, wallSeconds }: ChatOutcomes): string {
  const tokens = outcomes.reduce((sum, outcome) => sum + outcome.tokens, 0);
  const rate = wallSeconds === 0 ? 0 : Math.round(tokens / wallSeconds);
  const head = `${model}, ${outcomes.length} items in ${wallSeconds.toFixed(1)} s, ${concurrency} at a time: ${rate} tok/s together`;
  return `${head}\n\n${renderTable(scoresOf(outcomes), scoreOf("total", outcomes))}`;
}

function pictureText({ model, outcomes }: PictureOutcomes): string {
  return `${model}\n\n${renderTable(scoresOf(outcomes), null)}`;
}
