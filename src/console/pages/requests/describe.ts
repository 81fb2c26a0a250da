/** A request in numbers and a few words. */
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { isLive } from "../../api/requests.js";
import { now } from "../../lib/clock.js";

/** How long the parts of a request took, in milliseconds; null for a part that it does not have (yet). */
interface Times {
  /** From its acceptance until it got a slot. */
  readonly queueMs: number | null;
  /** From then until the first text: the prompt is evaluated. */
  readonly prefillMs: number | null;
  /** From the first text to the end. */
  readonly decodeMs: number | null;
  readonly totalMs: number;
  /** Tokens per second of the decoding; null where it had no time to measure. */
  readonly tokensPerSecond: number | null;
}

/** Returns the times; for a live request, until now. */
export function readTimes(request: WireRequest): Times {
  const created = new Date(request.createTime).getTime();
  const started = at(request.startTime);
  const first = at(request.firstTokenTime);
  const end = at(request.endTime) ?? (isLive(request) ? Math.max(now(), created) : created);
  const decodeMs = first === null ? null : Math.max(0, end - first);
  const tokens = request.completionTokens + request.reasoningTokens;
  return {
    queueMs: Math.max(0, (started ?? end) - created),
    prefillMs: started === null ? null : Math.max(0, (first ?? end) - started),
    decodeMs,
    totalMs: Math.max(0, end - created),
    // The first token ends the prefill; the others are decoded.
    tokensPerSecond:
      decodeMs === null || decodeMs < 1 || tokens < 2 ? null : ((tokens - 1) * 1000) / decodeMs,
  };
}

/** Returns `38.2` for a speed in tokens per second. */
export function speedText(tokensPerSecond: number): string {
  return tokensPerSecond < 100 ? tokensPerSecond.toFixed(1) : Math.round(tokensPerSecond).toLocaleString();
}

function at(time: string | undefined): number | null {
  return time === undefined ? null : new Date(time).getTime();
}
