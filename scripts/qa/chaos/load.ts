/** Clients of all kinds, each of which sends one request after the other to any of the servers. */
import { setTimeout as delay } from "node:timers/promises";
import { tinyModel } from "../world/server.js";
import type { Chance } from "../world/chance.js";
import { ask, askJson } from "../world/ask.js";
import {
  backgroundBody,
  batchBody,
  batchLine,
  chatBody,
  chatPath,
  jobPath,
  readCost,
  streamed,
  type Prompt,
} from "../world/requests.js";
import { nameSecret } from "../world/teams.js";
import type { Load } from "./client.js";
import { askFor, scriptedModel } from "./engine.js";
import { hammerLimits } from "./limited-keys.js";
import { revokeKeys } from "./revoked-keys.js";
import { allTeams } from "./world.js";

export interface RunningLoad {
  /** Resolves when the last client has ended. */
  stop(): Promise<void>;
}

const chatClients = 6;

export function startLoad(given: Omit<Load, "isOver" | "chance">, chance: Chance): RunningLoad {
  let isOver = false;
  const loadOf = (): Load => ({ ...given, chance: chance.fork(), isOver: () => isOver });
  const clients = [
    ...Array.from({ length: chatClients }, () => repeat(loadOf(), 100, 500, chat)),
    repeat(loadOf(), 300, 1_200, deferred),
    repeat(loadOf(), 300, 1_200, background),
    repeat(loadOf(), 2_000, 5_000, batch),
    repeat(loadOf(), 200, 1_000, revokeKeys),
    hammerLimits(loadOf()),
  ];
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

async function repeat(
  load: Load,
  pauseMsMin: number,
  pauseMsMax: number,
  action: (load: Load) => Promise<void>,
): Promise<void> {
  while (!load.isOver()) {
    await action(load);
    await delay(load.chance.between(pauseMsMin, pauseMsMax));
  }
}

let count = 0;

/** Most answers take half a second, some four. */
function drawPrompt({ chance }: Load): Prompt {
  if (chance.happens(0.2)) return { model: tinyModel, text: "Say hello to the lamp." };
  const text = chance.happens(0.1) ? askFor(40, 100) : askFor(chance.between(1, 20), chance.between(0, 40));
  return { model: scriptedModel, text };
}

async function chat(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const requestId = `chaos-${++count}`;
  const team = chance.pick(allTeams);
  const prompt = drawPrompt(load);
  const stream = chance.happens(0.5);
  const leaving = new AbortController();
  const leaves = chance.happens(0.1);
  const leaveMs = chance.between(1, 800);
  const timer = leaves ? setTimeout(() => leaving.abort(), leaveMs) : undefined;
  const beganAt = performance.now();
  const tokens = prompt.model === scriptedModel ? 64 : 16;
  const more = { reasoning_effort: "none", ...(stream ? streamed : {}) };
  const answered = await ask(chance.pick(servers).url(), chatPath, {
    key: nameSecret(0, team),
    requestId,
    signal: leaving.signal,
    body: chatBody(prompt, tokens, more),
  });
  clearTimeout(timer);
  const status = answered?.status ?? null;
  const ticks = answered?.text == null || status !== 200 ? null : readCost(answered.text, stream);
  const isRefused = status !== null && status !== 200;
  const failed = leaving.signal.aborted ? "left" : isRefused ? "refused" : "broken";
  const outcome = ticks === null ? failed : "whole";
  records.waited.push({ requestId, status, ticks, outcome, beganAt, endedAt: performance.now() });
}

async function deferred(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const answer = await askJson(chance.pick(servers).url(), chatPath, {
    key: nameSecret(0, team),
    body: chatBody(drawPrompt(load), 64, { deferred: true }),
  });
  const id = answer?.["request_id"];
  if (typeof id === "string") records.jobs.add({ id, table: "deferred_completions", teamId: team });
}

async function background(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const key = nameSecret(0, team);
  const body = backgroundBody(drawPrompt(load), 64);
  const answer = await askJson(chance.pick(servers).url(), "/v1/responses", { key, body });
  const id = answer?.["id"];
  if (typeof id !== "string") return;
  records.jobs.add({ id, table: "responses", teamId: team });
  if (chance.happens(0.1))
    await ask(chance.pick(servers).url(), `${jobPath("responses", id)}/cancel`, { key, body: {} });
}

async function batch(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const key = nameSecret(0, team);
  const lines = Array.from({ length: chance.between(2, 8) }, (_, at) => `line-${at}`);
  const requests = lines.map((customId) => {
    const text = askFor(chance.between(1, 20), chance.between(0, 60));
    return batchLine(customId, chatBody({ model: scriptedModel, text }, 64));
  });
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([requests.map((request) => JSON.stringify(request)).join("\n")]), "batch.jsonl");
  const file = await askJson(chance.pick(servers).url(), "/v1/files", { key, body: form });
  if (typeof file?.["id"] !== "string") return;
  const body = batchBody(file["id"]);
  const answer = await askJson(chance.pick(servers).url(), "/v1/batches", { key, body });
  const id = answer?.["id"];
  if (typeof id === "string") records.batches.add({ id, teamId: team, lines: new Set(lines) });
}
