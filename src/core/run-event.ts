import type { GenerationEnd } from "./generation.js";
import { eventMerging, mergeEvents } from "./requests/event-merging.js";
import { isServerEvent, type AnswerEvent } from "./tools/server-call.js";
import type { Usage } from "./usage.js";

/** What every event of a run carries besides its content. */
interface Counted {
  /** Usage of the whole run, up to and including this event. */
  readonly usage: Usage;
}

/** An event of a run. Its usage is the one that the ledger charges: readers take it and do not count again. */
export type RunEvent = AnswerEvent & Counted;

/** The end of one choice of a run. */
export type ChoiceEnd = GenerationEnd & Counted;

/** Merges the events of a run as `eventMerging` does; the usage is the usage of the later one. */
export const runEventMerging = {
  findGroup: (event: RunEvent): number | null =>
    isServerEvent(event) ? event.choice : eventMerging.findGroup(event),
  merge(last: RunEvent, next: RunEvent): RunEvent | null {
    if (isServerEvent(last) || isServerEvent(next)) return null;
    const merged = mergeEvents(last, next);
    return merged && { ...merged, usage: next.usage };
  },
};
