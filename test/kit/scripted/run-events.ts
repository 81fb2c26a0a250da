import type { GenerationEvent } from "../../../src/core/generation.js";
import type { RunEvent } from "../../../src/core/run-event.js";
import { addEvent, noUsage } from "../../../src/core/usage.js";

/** Returns a function that adds to each event of an engine the usage so far, as a run does. */
export function usageCounter(): (event: GenerationEvent) => RunEvent {
  let usage = noUsage;
  return (event) => {
    usage = addEvent(usage, event);
    return { ...event, usage };
  };
}

/** Returns the events as a run emits them. */
export function runEvents(events: readonly GenerationEvent[]): readonly RunEvent[] {
  return events.map(usageCounter());
}
