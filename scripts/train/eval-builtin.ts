/**
 * `npm run eval:builtin`: measures the built-in models on held-out data. The chat model and the image model
 * are asked over HTTP through the official client, with items that eval-builtin/chat generates and that the
 * training cannot contain; the vision model captions pictures (eval-builtin/pictures.ts). Scores are a
 * measurement, not a check: the exit code is 0 whenever it could run, 1 if the server failed, 2 for invalid
 * arguments.
 *
 *   --json                the scores and every outcome as JSON
 *   --skill NAME          only the items of this skill; repeatable
 *   --items-per-skill N   the number of items per skill of the chat model (200)
 *   --seed N              other items of the same kinds (1)
 *   --show-failures       also print question, answer and what is missing
 *   --model ID            a chat model other than the first that the server lists
 *   --items FILE          use the items of a file instead, and no pictures
 *   --write-items FILE    write the chat model's items and exit
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import OpenAI from "openai";
import { askAll } from "./eval-builtin/ask.js";
import { chatSkills, generateItems } from "./eval-builtin/chat/generate.js";
import { readItems, type Item } from "./eval-builtin/items.js";
import { askPictures, pictureSkills } from "./eval-builtin/pictures.js";
import {
  listEvaluation,
  formatEvaluation,
  type ChatOutcomes,
  type Evaluation,
} from "./eval-builtin/report.js";
import { spawnServer } from "../qa/world/server.js";
import { readWhole } from "../qa/world/options.js";
import { captionSpeed, chatSpeed, imageSpeed, type Speed } from "./eval-builtin/speed.js";

const concurrency = 4;
const requestTimeoutMs = 300_000;
const chatTraining = fileURLToPath(new URL("chat", import.meta.url));

const options = {
  json: { type: "boolean", default: false },
  "show-failures": { type: "boolean", default: false },
  skill: { type: "string", multiple: true },
  model: { type: "string" },
  items: { type: "string" },
  "items-per-skill": { type: "string", default: "200" },
  seed: { type: "string", default: "1" },
  "write-items": { type: "string" },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  let values;
  let plan: Plan;
  try {
    ({ values } = parseArgs({ options, allowPositionals: false }));
    plan = values.items === undefined ? await drawn(values) : await read(values.items, values.skill ?? []);
    if (values["write-items"] !== undefined) {
      await writeFile(values["write-items"], plan.items.map((item) => `${JSON.stringify(item)}\n`).join(""));
      return 0;
    }
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
  try {
    const evaluation = await evaluate(plan, values.model ?? null);
    const output = values.json
      ? JSON.stringify(listEvaluation(evaluation), null, 2)
      : formatEvaluation(evaluation, values["show-failures"]);
    process.stdout.write(`${output}\n`);
    return 0;
  } catch (thrown) {
    process.stderr.write(`eval:builtin: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 1;
  }
}

interface Plan {
  /** The items for the chat model. */
  readonly items: readonly Item[];
  /** The skills of the vision and image models. */
  readonly pictures: readonly string[];
}

interface Draw {
  readonly skill?: string[];
  readonly seed: string;
  readonly "items-per-skill": string;
}

/** Returns the items of the selected skills, or of all if none is named. */
async function drawn({ skill, seed, "items-per-skill": count }: Draw): Promise<Plan> {
  const chats = chatSkills.map(({ name }) => name);
  const wanted = chosen([...chats, ...pictureSkills], skill ?? []);
  const skills = chats.filter((name) => wanted.includes(name));
  const order = {
    skills,
    itemsPerSkill: readWhole("--items-per-skill", count, 1_000_000, 0),
    seed: readWhole("--seed", seed, 2 ** 31, 0),
  };
  return {
    items: await generateItems(chatTraining, order),
    pictures: pictureSkills.filter((name) => wanted.includes(name)),
  };
}

async function read(path: string, skills: readonly string[]): Promise<Plan> {
  const items = await readItems(path);
  const wanted = chosen(
    items.map(({ skill }) => skill),
    skills,
  );
  return { items: items.filter(({ skill }) => wanted.includes(skill)), pictures: [] };
}

/** @throws Error for an unknown skill */
function chosen(known: readonly string[], skills: readonly string[]): readonly string[] {
  const unknown = skills.find((skill) => !known.includes(skill));
  const names = [...new Set(known)].sort().join(", ");
  if (unknown !== undefined) throw new Error(`there is no skill '${unknown}'; there are ${names}`);
  return skills.length === 0 ? known : skills;
}

interface LanguageModels {
  readonly models: readonly { readonly id: string }[];
}

async function evaluate({ items, pictures }: Plan, wanted: string | null): Promise<Evaluation> {
  const server = await spawnServer({ HEARTH_LOG_LEVEL: "warn" });
  try {
    const client = new OpenAI({
      baseURL: `${server.url}/v1`,
      apiKey: server.key,
      maxRetries: 0,
      timeout: requestTimeoutMs,
    });
    const chatted = items.length === 0 ? null : await chat(client, items, wanted);
    const seen = pictures.length === 0 ? [] : await askPictures(client, pictures);
    return { chat: chatted, pictures: seen, speeds: await measureSpeeds(client, chatted, pictures) };
  } finally {
    await server.stop();
  }
}

async function chat(client: OpenAI, items: readonly Item[], wanted: string | null): Promise<ChatOutcomes> {
  const model = wanted ?? (await client.get<LanguageModels>("/language-models")).models[0]?.id;
  if (model === undefined) throw new Error("the server has no models");
  // The first answer includes loading the model, which is not its speed.
  await client.chat.completions.create({
    model,
    messages: [{ role: "user", content: "Hello" }],
    max_completion_tokens: 1,
  });
  const started = performance.now();
  const outcomes = await askAll(client, model, items, concurrency, progress(items.length));
  return { model, outcomes, wallSeconds: (performance.now() - started) / 1000, concurrency };
}

/** The scores of the evaluated models. */
async function measureSpeeds(
  client: OpenAI,
  chatted: ChatOutcomes | null,
  pictures: readonly string[],
): Promise<readonly Speed[]> {
  const speeds = [
    chatted === null ? null : await chatSpeed(client, chatted.model, chatted.outcomes),
    pictures.length === 0 ? null : await captionSpeed(),
    pictures.some((skill) => skill.startsWith("draw")) ? await imageSpeed(client) : null,
  ];
  return speeds.filter((speed) => speed !== null);
}

function progress(total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done} of ${total}${done === total ? "\r\x1b[K" : ""}`);
  };
}
