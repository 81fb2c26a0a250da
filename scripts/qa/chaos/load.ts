/** Clients of all kinds, each of which sends one request after the other to any of the servers. */
import { setTimeout as delay } from "node:timers/promises";
import { secretOf } from "../bench/accounts.js";
import { benchModel } from "../world/server.js";
import type { Chance } from "../world/chance.js";
import type { Load } from "./client.js";
import { askFor, scriptedModel } from "./engine.js";
import { ask, askJson } from "./http.js";
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

interface Prompt {
  readonly model: string;
  readonly text: string;
}

/** Most answers take half a second, some four. */
function promptOf({ chance }: Load): Prompt {
  if (chance.happens(0.2)) return { model: benchModel, text: "Say hello to the lamp." };
  const text = chance.happens(0.1) ? askFor(40, 100) : askFor(chance.between(1, 20), chance.between(0, 40));
  return { model: scriptedModel, text };
}

async function chat(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const requestId = `chaos-${++count}`;
  const team = chance.pick(allTeams);
  const { model, text } = promptOf(load);
  const stream = chance.happens(0.5);
  const leaving = new AbortController();
  const leaves = chance.happens(0.1);
  const leaveMs = chance.between(1, 800);
  const timer = leaves ? setTimeout(() => leaving.abort(), leaveMs) : undefined;
  const beganAt = performance.now();
  const answered = await ask(chance.pick(servers), "/v1/chat/completions", {
    key: secretOf(0, team),
    requestId,
    signal: leaving.signal,
    body: {
      model,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: "user", content: text }],
      max_tokens: model === scriptedModel ? 64 : 16,
      reasoning_effort: "none",
    },
  });
  clearTimeout(timer);
  const status = answered?.status ?? null;
  const ticks = answered?.text == null || status !== 200 ? null : ticksOf(answered.text, stream);
  const isRefused = status !== null && status !== 200;
  const failed = leaving.signal.aborted ? "left" : isRefused ? "refused" : "broken";
  const outcome = ticks === null ? failed : "whole";
  records.waited.push({ requestId, team, status, ticks, outcome, beganAt, endedAt: performance.now() });
}

/** Returns what a whole answer says that it cost; null when it is not whole. */
function ticksOf(text: string, isStream: boolean): number | null {
  if (!isStream) return costIn(JSON.parse(text));
  const events = text.split("\n\n").flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
  if (events.pop() !== "[DONE]") return null;
  return costIn(JSON.parse(events.pop() ?? "{}"));
}

function costIn(answer: unknown): number | null {
  const { usage } = answer as { readonly usage?: { readonly cost_in_usd_ticks?: number } };
  return usage?.cost_in_usd_ticks ?? null;
}

async function deferred(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const { model, text } = promptOf(load);
  const body = { model, messages: [{ role: "user", content: text }], max_tokens: 64, deferred: true };
  const answer = await askJson(chance.pick(servers), "/v1/chat/completions", {
    key: secretOf(0, team),
    body,
  });
  const id = answer?.["request_id"];
  if (typeof id === "string") records.deferred.push({ id, team });
}

async function background(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const key = secretOf(0, team);
  const { model, text } = promptOf(load);
  const body = { model, input: text, max_output_tokens: 64, background: true };
  const answer = await askJson(chance.pick(servers), "/v1/responses", { key, body });
  const id = answer?.["id"];
  if (typeof id !== "string") return;
  records.responses.push({ id, team });
  if (chance.happens(0.1))
    await ask(chance.pick(servers), `/v1/responses/${id}/cancel`, { key, method: "POST", body: {} });
}

async function batch(load: Load): Promise<void> {
  const { chance, servers, records } = load;
  const team = chance.pick(allTeams);
  const key = secretOf(0, team);
  const lines = Array.from({ length: chance.between(2, 8) }, (_, at) => `line-${at}`);
  const requests = lines.map((custom_id) => ({
    custom_id,
    method: "POST",
    url: "/v1/chat/completions",
    body: {
      model: scriptedModel,
      messages: [{ role: "user", content: askFor(chance.between(1, 20), chance.between(0, 60)) }],
      max_tokens: 64,
    },
  }));
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([requests.map((request) => JSON.stringify(request)).join("\n")]), "batch.jsonl");
  const file = await askJson(chance.pick(servers), "/v1/files", { key, body: form });
  if (typeof file?.["id"] !== "string") return;
  const answer = await askJson(chance.pick(servers), "/v1/batches", {
    key,
    body: { input_file_id: file["id"], endpoint: "/v1/chat/completions", completion_window: "24h" },
  });
  const id = answer?.["id"];
  if (typeof id === "string") records.batches.push({ id, team, lines });
}
