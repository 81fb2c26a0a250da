/**
 * The clients: each sends one request after the other until the time or the number of requests is used up. Beside them, clients create
 * jobs and batches.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Waited } from "../checks/charges.js";
import { startJobClients, type DrawnPrompt, type Load } from "../clients/load.js";
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";
import { Chance } from "../figures/chance.js";
import { postJson, readFrames, readText, type OpenAnswer } from "../world/client.js";
import { writeWords } from "../world/models.js";
import { chatPath, readCost } from "../world/requests.js";
import type { ServerProcess } from "../world/server.js";
import { Records } from "../clients/records.js";
import { nextPlan, type Plan } from "./plan.js";
import { SoakTally, type SoakOutcome } from "./tally.js";

export interface SoakBounds {
  readonly minutes: number;
  readonly clients: number;
  readonly requestsMax: number;
  readonly seed: number;
}

/** An answer that takes longer counts as a failure. */
const answerMsMax = 120_000;
/** The longest time that a client waits before it retries after 503. */
const retryMsMax = 5000;
const retriesMax = 50;
const progressEveryMs = 60_000;

export interface Soaked {
  readonly tally: SoakTally;
  /** The work of all clients. */
  readonly load: Load;
  readonly seconds: number;
}

export async function runClients(server: ServerProcess, model: string, bounds: SoakBounds): Promise<Soaked> {
  const tally = new SoakTally();
  const records = new Records();
  const began = performance.now();
  const until = began + bounds.minutes * 60_000;
  const isOver = (): boolean => performance.now() >= until || tally.requests >= bounds.requestsMax;
  const progress = setInterval(
    () => process.stderr.write(`${tally.requests} requests, ${tally.wrong} wrong\n`),
    progressEveryMs,
  );
  const client = async (index: number): Promise<void> => {
    const random = seeded(bounds.seed * 1000 + index);
    for (let turn = 0; !isOver(); turn += 1) {
      const sender = { server, id: `soak-${index}-${turn}`, tally, records, isOver };
      await insist(sender, nextPlan(model, random));
    }
  };
  const chance = new Chance(bounds.seed);
  const drawPrompt = (own: Chance): DrawnPrompt => ({
    model,
    text: writeWords(own.between(0, 1e6), own.between(1, 30)),
    tokensMax: own.between(1, 40),
  });
  const load: Load = {
    servers: [{ url: () => server.url }],
    teams: ["first"],
    getKey: () => server.key,
    drawPrompt,
    records,
    chance,
    isOver,
  };
  await Promise.all([
    ...Array.from({ length: bounds.clients }, (_, index) => client(index)),
    ...startJobClients(() => ({ ...load, chance: chance.fork() })),
  ]);
  clearInterval(progress);
  return { tally, load, seconds: (performance.now() - began) / 1000 };
}

interface Sender {
  readonly server: ServerProcess;
  /** The id of the request; each attempt adds a number. */
  readonly id: string;
  readonly tally: SoakTally;
  readonly records: Records;
  readonly isOver: () => boolean;
}

/** Retries while the server answers 503. */
async function insist(sender: Sender, plan: Plan): Promise<void> {
  const { id, tally, records, isOver } = sender;
  for (let nth = 0; nth < retriesMax; nth += 1) {
    const requestId = `${id}-${nth}`;
    const beganAt = performance.now();
    const { outcome, ticks, retryAfterMs } = await attemptOnce(sender.server, requestId, plan);
    tally.add(outcome);
    const { status } = outcome;
    records.waited.push({
      requestId,
      outcome: nameOutcome(outcome, ticks),
      ticks,
      status,
      beganAt,
      endedAt: performance.now(),
    });
    if (retryAfterMs === null || isOver()) return;
    await delay(Math.min(retryMsMax, retryAfterMs));
  }
}

function nameOutcome({ status, result }: SoakOutcome, ticks: number | null): Waited["outcome"] {
  if (ticks !== null) return "whole";
  if (status !== null && status !== 200) return "refused";
  return result.startsWith("left") ? "left" : "broken";
}

interface Attempt {
  readonly outcome: SoakOutcome;
  /** What a whole answer says that it cost; null for every other. */
  readonly ticks: number | null;
  readonly retryAfterMs: number | null;
}

async function attemptOnce(server: ServerProcess, requestId: string, plan: Plan): Promise<Attempt> {
  const { kind } = plan;
  const leaving = new AbortController();
  const late = new AbortController();
  const limit = setTimeout(() => late.abort(), answerMsMax);
  const leave = plan.leaveAfterMs === null ? undefined : setTimeout(() => leaving.abort(), plan.leaveAfterMs);
  const key = kind === "wrong key" ? "a-key-that-nobody-was-given" : server.key;
  let status: number | null = null;
  try {
    const signal = AbortSignal.any([leaving.signal, late.signal]);
    const headers = { authorization: `Bearer ${key}`, "x-request-id": requestId };
    const response = await postJson(server.url + chatPath, plan.body, headers, signal);
    status = response.status;
    return await read(response, plan, () => leaving.abort());
  } catch (thrown) {
    const outcome = lost(plan, status, { left: leaving.signal, late: late.signal, thrown });
    return { outcome, ticks: null, retryAfterMs: null };
  } finally {
    clearTimeout(limit);
    clearTimeout(leave);
  }
}

async function read(response: OpenAnswer, plan: Plan, leave: () => void): Promise<Attempt> {
  const { status, headers } = response;
  const { kind, expected, leaveAfterFrames } = plan;
  if (status !== 200) {
    const body = await readText(response);
    const retryAfterMs = status === 503 ? Number(headers["retry-after"] ?? Number.NaN) * 1000 : null;
    if (Number.isNaN(retryAfterMs)) return ended(plan, status, null, "503 without retry-after");
    const wrong = status === 503 || status === expected ? null : `${status} ${body.slice(0, 200)}`;
    const result = status === 503 ? "asked to retry" : `refused: ${kind}`;
    return { outcome: { kind, result, status, wrong }, ticks: null, retryAfterMs };
  }
  if (expected !== 200) return ended(plan, status, null, `answered with ${status} instead of ${expected}`);
  if (!plan.stream) {
    const ticks = readCost(await readText(response), false);
    return ended(plan, status, ticks, "an incomplete body");
  }
  let [frames, usage, last] = [0, "{}", ""];
  await readFrames(response, (data) => {
    last = data;
    if (data.includes('"usage":{')) usage = data;
    if (data.includes('"content":"') && ++frames === leaveAfterFrames) leave();
  });
  const ticks = last === "[DONE]" ? readCost(usage, false) : null;
  return ended(plan, status, ticks, `a stream that ended with ${last.slice(0, 200)}`);
}

/** @param wrong what is wrong with an answer that does not say what it cost */
function ended({ kind, stream }: Plan, status: number, ticks: number | null, wrong: string): Attempt {
  const result = ticks === null ? "wrong" : stream ? "streamed to the end" : "answered whole";
  return {
    outcome: { kind, result, status, wrong: ticks === null ? wrong : null },
    ticks,
    retryAfterMs: null,
  };
}

interface Loss {
  readonly left: AbortSignal;
  readonly late: AbortSignal;
  readonly thrown: unknown;
}

function lost({ kind }: Plan, status: number | null, { left, late, thrown }: Loss): SoakOutcome {
  if (late.aborted)
    return { kind, result: "no end in time", status, wrong: `no end within ${answerMsMax} ms` };
  if (!left.aborted)
    return { kind, result: "connection lost", status, wrong: `connection lost: ${String(thrown)}` };
  return {
    kind,
    result: status === null ? "left before the answer" : "left during the answer",
    status,
    wrong: null,
  };
}
