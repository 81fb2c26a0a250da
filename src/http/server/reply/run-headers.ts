/**
 * Timings and cost of a run as HTTP headers. A JSON answer has all of them as headers; a stream has those that are known at its start
 * as headers and the others as trailers.
 */
import type { Model } from "../../../core/model.js";
import type { Ticks } from "../../../core/money.js";
import type { TextRun } from "../../../inference/run/text/text-run.js";

const prefill = "x-hearth-prefill-ms";
const ttft = "x-hearth-ttft-ms";
const decode = "x-hearth-decode-tps";
const cost = "x-hearth-cost-ticks";
const warning = "x-hearth-warning";
const model = "x-hearth-model";
const notGuaranteed = "x-hearth-not-guaranteed";
const queue = "x-hearth-queue-ms";
const cached = "x-hearth-cached-tokens";
const warningCharsMax = 2_000;

/** Value of the `trailer` header that announces `runTrailers`. */
export const trailerNames = [prefill, ttft, decode, cost].join(", ");

/** The same where `runHeaders`, too, are sent at the end. */
export const lateTrailerNames = [model, notGuaranteed, warning, queue, cached, trailerNames].join(", ");

type Fields = Record<string, string>;

/** What answered, and what it cost. */
interface Answered {
  readonly model: Model;
  readonly costTicks: Ticks | null;
}

/** Returns what is already known. */
export function runHeaders(run: TextRun & Answered): Fields {
  return {
    ...modelHeader(run.model),
    ...warningHeader(run.warnings),
    ...field(queue, run.timings.queueMs, 0),
    ...field(cached, run.timings.cachedTokens, 0),
    ...runTrailers(run),
  };
}

/** Returns what is only complete when the answer has ended. */
export function runTrailers({ timings, costTicks }: TextRun): Fields {
  return {
    ...field(prefill, timings.prefillMs, 0),
    ...field(ttft, timings.ttftMs, 0),
    ...field(decode, timings.decodeTps, 1),
    ...costHeader(costTicks),
  };
}

/** Returns the headers of an answer without timings. */
export function answerHeaders({ model, costTicks }: Answered): Fields {
  return { ...modelHeader(model), ...costHeader(costTicks) };
}

/** The id of the model, also where the request has an alias, and what does not hold for it. */
function modelHeader({ manifest, remote }: Model): Fields {
  const missing = remote?.notGuaranteed ?? [];
  const id = { [model]: manifest.id };
  return missing.length === 0 ? id : { ...id, [notGuaranteed]: missing.join(", ") };
}

/** Returns what of a request is not applied; nothing if that is nothing. Other characters than ASCII's are written as `?`. */
export function warningHeader(warnings: readonly string[]): Fields {
  const text = warnings.join("; ").replace(/[^ -~]/g, "?");
  return text === "" ? {} : { [warning]: text.slice(0, warningCharsMax) };
}

/** Returns what a run was charged, as the ledger has it; nothing while that is not known. */
export function costHeader(ticks: Ticks | null): Fields {
  return field(cost, ticks, 0);
}

function field(name: string, value: number | null, digits: number): Fields {
  return value === null ? {} : { [name]: value.toFixed(digits) };
}
