/**
 * The clients: each sends one request after the other until the time or the number of requests is used up.
 */
import { setTimeout as delay } from "node:timers/promises";
import { post, readFrames, readText, type Answer, type Target } from "../world/client.js";
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";
import { nextPlan, type Plan } from "./plan.js";
import { Tally, type Outcome } from "./tally.js";

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

export async function runClients(
  target: Target,
  model: string,
  bounds: SoakBounds,
): Promise<{ readonly tally: Tally; readonly seconds: number }> {
  const tally = new Tally();
  const began = performance.now();
  const until = began + bounds.minutes * 60_000;
  const isOver = (): boolean => performance.now() >= until || tally.requests >= bounds.requestsMax;
  const progress = setInterval(
    () => process.stderr.write(`${tally.requests} requests, ${tally.wrong} wrong\n`),
    progressEveryMs,
  );
  const client = async (index: number): Promise<void> => {
    const random = seeded(bounds.seed * 1000 + index);
    while (!isOver()) await insist(target, nextPlan(model, random), tally, isOver);
  };
  await Promise.all(Array.from({ length: bounds.clients }, (_, index) => client(index)));
  clearInterval(progress);
  return { tally, seconds: (performance.now() - began) / 1000 };
}

/** Retries while the server answers 503. */
async function insist(target: Target, plan: Plan, tally: Tally, isOver: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < retriesMax; attempt += 1) {
    const { outcome, retryAfterMs } = await attemptOnce(target, plan);
    tally.add(outcome);
    if (retryAfterMs === null || isOver()) return;
    await delay(Math.min(retryMsMax, retryAfterMs));
  }
}

interface Attempt {
  readonly outcome: Outcome;
  readonly retryAfterMs: number | null;
}

async function attemptOnce(target: Target, plan: Plan): Promise<Attempt> {
  const { kind } = plan;
  const leaving = new AbortController();
  const late = new AbortController();
  const limit = setTimeout(() => late.abort(), answerMsMax);
  const leave = plan.leaveAfterMs === null ? undefined : setTimeout(() => leaving.abort(), plan.leaveAfterMs);
  const key = kind === "wrong key" ? "a-key-that-nobody-was-given" : target.key;
  let status: number | null = null;
  try {
    const signal = AbortSignal.any([leaving.signal, late.signal]);
    const response = await post({ ...target, key }, plan.body, signal);
    status = response.status;
    return await read(response, plan, () => leaving.abort());
  } catch (thrown) {
    return {
      outcome: lost(plan, status, { left: leaving.signal, late: late.signal, thrown }),
      retryAfterMs: null,
    };
  } finally {
    clearTimeout(limit);
    clearTimeout(leave);
  }
}

async function read(response: Answer, plan: Plan, leave: () => void): Promise<Attempt> {
  const { status, headers } = response;
  const { kind, expected, leaveAfterFrames } = plan;
  if (status !== 200) {
    const body = await readText(response);
    const retryAfterMs = status === 503 ? Number(headers["retry-after"] ?? Number.NaN) * 1000 : null;
    if (Number.isNaN(retryAfterMs)) return attemptOf(plan, status, "503 without retry-after");
    const wrong = status === 503 || status === expected ? null : `${status} ${body.slice(0, 200)}`;
    const result = status === 503 ? "asked to retry" : `refused: ${kind}`;
    return { outcome: { kind, result, status, wrong }, retryAfterMs };
  }
  if (expected !== 200) return attemptOf(plan, status, `answered with ${status} instead of ${expected}`);
  if (!plan.stream) {
    const whole = (await readText(response)).includes('"finish_reason":"');
    return attemptOf(plan, status, whole ? null : "an incomplete body");
  }
  let [frames, last] = [0, ""];
  await readFrames(response, (data) => {
    last = data;
    if (data.includes('"content":"') && ++frames === leaveAfterFrames) leave();
  });
  return attemptOf(plan, status, last === "[DONE]" ? null : `a stream that ended with ${last.slice(0, 200)}`);
}

function attemptOf({ kind, stream }: Plan, status: number, wrong: string | null): Attempt {
  const result = wrong === null ? (stream ? "streamed to the end" : "answered whole") : "wrong";
  return { outcome: { kind, result, status, wrong }, retryAfterMs: null };
}

interface Loss {
  readonly left: AbortSignal;
  readonly late: AbortSignal;
  readonly thrown: unknown;
}

function lost({ kind }: Plan, status: number | null, { left, late, thrown }: Loss): Outcome {
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
