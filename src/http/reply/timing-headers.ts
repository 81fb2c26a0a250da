/**
 * Timings of a run as HTTP headers. A JSON answer has all of them as headers; a stream has those that are known at its start as
 * headers and the others as trailers.
 */
import type { RunTimings } from "../../inference/run/timings.js";

const prefill = "x-hearth-prefill-ms";
const ttft = "x-hearth-ttft-ms";
const decode = "x-hearth-decode-tps";

/** Value of the `trailer` header that announces `timingTrailers`. */
export const trailerNames = [prefill, ttft, decode].join(", ");

type Fields = Record<string, string>;

/** Returns the timings that are already known. */
export function timingHeaders(timings: RunTimings): Fields {
  return {
    ...field("x-hearth-queue-ms", timings.queueMs, 0),
    ...field("x-hearth-cached-tokens", timings.cachedTokens, 0),
    ...timingTrailers(timings),
  };
}

/** Returns the timings that are only complete when the answer has ended. */
export function timingTrailers({ prefillMs, ttftMs, decodeTps }: RunTimings): Fields {
  return { ...field(prefill, prefillMs, 0), ...field(ttft, ttftMs, 0), ...field(decode, decodeTps, 1) };
}

function field(name: string, value: number | null, digits: number): Fields {
  return value === null ? {} : { [name]: value.toFixed(digits) };
}
