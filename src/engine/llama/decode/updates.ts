/** Merges the updates of one job that are reported together. */
import { mergeEvents } from "../../../core/requests/event-merging.js";
import type { JobUpdate } from "../protocol.js";

export function mergeUpdates(earlier: JobUpdate | undefined, later: JobUpdate): JobUpdate {
  if (earlier === undefined) return later;
  const events = [...earlier.events];
  for (const event of later.events) {
    const last = events.at(-1);
    const merged = last === undefined ? null : mergeEvents(last, event);
    if (merged === null) events.push(event);
    else events[events.length - 1] = merged;
  }
  return { ...later, events };
}
