/**
 * What a run measured of itself, as the client is told. A whole answer has all of it in its headers; a stream has there what
 * is known when it begins, and the rest in the trailers behind it.
 */
import type { RunTimings } from "../../inference/run/timings.js";

const prefill = "x-hearth-prefill-ms";
const ttft = "x-hearth-ttft-ms";
const decode = "x-hearth-decode-tps";

/** Value of the `trailer` header that announces `timingTrailers`. */
export const trailerNames = [prefill, ttft, decode].join(", ");

type Fields = Record<string, string>;

/** Everything that is known by now. */
export function timingHeaders(timings: RunTimings): Fields {
  return {
    ...field("x-hearth-queue-ms", timings.queueMs, 0),
    ...field("x-hearth-cached-tokens", timings.cachedTokens, 0),
    ...timingTrailers(timings),
  };
}

/** What is certain to be known only when the answer has ended. */
export function timingTrailers({ prefillMs, ttftMs, decodeTps }: RunTimings): Fields {
  return { ...field(prefill, prefillMs, 0), ...field(ttft, ttftMs, 0), ...field(decode, decodeTps, 1) };
}

function field(name: string, value: number | null, digits: number): Fields {
  return value === null ? {} : { [name]: value.toFixed(digits) };
}
