/** A request in numbers and a few words. */
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { isLive } from "../../api/requests.js";
import { now } from "../../lib/clock.js";

/** The classes of states, as the styles have them. */
export const stateClasses: Readonly<Record<WireRequest["status"], "" | "good" | "warn" | "bad" | "live">> = {
  queued: "warn",
  running: "live",
  completed: "good",
  failed: "bad",
  aborted: "",
  cancelled: "",
  interrupted: "",
};

/** What a state means. */
export const requestStateTexts: Readonly<Record<WireRequest["status"], string>> = {
  queued: "It waits for its model or a slot.",
  running: "It is being answered.",
  completed: "It was answered.",
  failed: "It ended with an error.",
  aborted: "Its client left before the answer was complete.",
  cancelled: "It was cancelled here or by the command line.",
  interrupted: "The server stopped, or a job starts again later. It costs nothing.",
};

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
