/** Clients of all kinds, each of which sends one request after the other to any of the servers. */
import { setTimeout as delay } from "node:timers/promises";
import { ask, askJson } from "../world/ask.js";
import type { Chance } from "../figures/chance.js";
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
import type { Records } from "./records.js";

/** What clients work with. */
export interface Load {
  /** Where each server listens; null while it does not run. */
  readonly servers: readonly { url(): string | null }[];
  readonly teams: readonly string[];
  /** Returns the API key of a team. */
  readonly getKey: (teamId: string) => string;
  /** Draws the model and the last message of a request. */
  readonly drawPrompt: (chance: Chance) => DrawnPrompt;
  readonly records: Records;
  readonly chance: Chance;
  readonly isOver: () => boolean;
}

export interface DrawnPrompt extends Prompt {
  readonly tokensMax: number;
}

/** Runs an action again and again, with pauses, until the end. */
export async function repeat(
  load: Load,
  pauseMs: readonly [least: number, most: number],
  action: (load: Load) => Promise<void>,
): Promise<void> {
  while (!load.isOver()) {
    await action(load);
    await delay(load.chance.between(...pauseMs));
  }
}

/** Starts clients of jobs and batches. @param fork returns the load of one of them */
export function startJobClients(fork: () => Load): readonly Promise<void>[] {
  return [
    repeat(fork(), [300, 1_200], createDeferred),
    repeat(fork(), [300, 1_200], createBackground),
    repeat(fork(), [2_000, 5_000], createBatch),
  ];
}

let count = 0;

/** Sends a chat, whole or streamed, and now and then leaves before its end. */
export async function sendChat(load: Load): Promise<void> {
  const { chance, records } = load;
  const requestId = `client-${++count}`;
  const teamId = chance.pick(load.teams);
  const prompt = load.drawPrompt(chance);
  const isStream = chance.happens(0.5);
  const leaving = new AbortController();
  const leaves = chance.happens(0.1);
  const leaveMs = chance.between(1, 800);
  const timer = leaves ? setTimeout(() => leaving.abort(), leaveMs) : undefined;
  const beganAt = performance.now();
  const answered = await ask(pickServer(load), chatPath, {
    key: load.getKey(teamId),
    requestId,
    signal: leaving.signal,
    body: chatBody(prompt, prompt.tokensMax, { reasoning_effort: "none", ...(isStream ? streamed : {}) }),
  });
  clearTimeout(timer);
  const status = answered?.status ?? null;
  const ticks = answered?.text == null || status !== 200 ? null : readCost(answered.text, isStream);
  const isRefused = status !== null && status !== 200;
  const failed = leaving.signal.aborted ? "left" : isRefused ? "refused" : "broken";
  const outcome = ticks === null ? failed : "whole";
  records.waited.push({ requestId, status, ticks, outcome, beganAt, endedAt: performance.now() });
}

async function createDeferred(load: Load): Promise<void> {
  const { chance, records } = load;
  const teamId = chance.pick(load.teams);
  const prompt = load.drawPrompt(chance);
  const body = chatBody(prompt, prompt.tokensMax, { deferred: true });
  const answer = await askJson(pickServer(load), chatPath, { key: load.getKey(teamId), body });
  const id = answer?.["request_id"];
  if (typeof id === "string") records.jobs.add({ id, table: "deferred_completions", teamId });
}

async function createBackground(load: Load): Promise<void> {
  const { chance, records } = load;
  const teamId = chance.pick(load.teams);
  const key = load.getKey(teamId);
  const prompt = load.drawPrompt(chance);
  const body = backgroundBody(prompt, prompt.tokensMax);
  const answer = await askJson(pickServer(load), "/v1/responses", { key, body });
  const id = answer?.["id"];
  if (typeof id !== "string") return;
  records.jobs.add({ id, table: "responses", teamId });
  if (chance.happens(0.1))
    await ask(pickServer(load), `${jobPath("responses", id)}/cancel`, { key, body: {} });
}

async function createBatch(load: Load): Promise<void> {
  const { chance, records } = load;
  const teamId = chance.pick(load.teams);
  const key = load.getKey(teamId);
  // All requests of a batch have one model.
  const { model } = load.drawPrompt(chance);
  const lines = Array.from({ length: chance.between(2, 8) }, (_, at) => {
    const prompt = { ...load.drawPrompt(chance), model };
    return batchLine(`line-${at}`, chatBody(prompt, prompt.tokensMax));
  });
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([lines.map((line) => JSON.stringify(line)).join("\n")]), "batch.jsonl");
  const file = await askJson(pickServer(load), "/v1/files", { key, body: form });
  if (typeof file?.["id"] !== "string") return;
  const answer = await askJson(pickServer(load), "/v1/batches", { key, body: batchBody(file["id"]) });
  const id = answer?.["id"];
  if (typeof id === "string")
    records.batches.add({ id, teamId, lines: new Set(lines.map(({ custom_id }) => custom_id)) });
}

/** Returns the address of any server. */
export function pickServer({ chance, servers }: Pick<Load, "chance" | "servers">): string | null {
  return chance.pick(servers).url();
}
