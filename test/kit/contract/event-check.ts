/** Checks an event stream: the name and data of each event, and the end of the stream. */
import { createParser } from "eventsource-parser";
import type { MediaType } from "../../../src/http/about/openapi/operation.js";
import type { BodyObserver } from "./looked-at.js";
import type { Check } from "./validators.js";

/** Creates the observer of a stream. An incomplete last frame is ignored. */
export function checkEvents(
  form: NonNullable<MediaType["x-hearth-stream"]>,
  check: Check,
  report: (problems: readonly string[]) => void,
): BodyObserver {
  const decoder = new TextDecoder();
  let count = 0;
  let isDone = false;
  let failed = false;
  const parser = createParser({
    onEvent({ event, data }) {
      count += 1;
      if (isDone) return report([`event ${count} comes after [DONE]`]);
      if (form.done && data === "[DONE]") {
        isDone = true;
        return;
      }
      const value = parsed(data);
      failed = value !== null && typeof value === "object" && "error" in value && value.error !== null;
      const problems = [...nameProblems(form.named, event, value), ...check(value)];
      if (problems.length > 0) report(problems.map((problem) => `event ${count}: ${problem}`));
    },
  });
  return {
    bytes: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    end() {
      if (form.done && !isDone && !failed) report(["the stream ended without [DONE]"]);
    },
  };
}

function nameProblems(named: boolean, event: string | undefined, value: unknown): readonly string[] {
  const type = value !== null && typeof value === "object" && "type" in value ? value.type : undefined;
  const expected = named ? type : undefined;
  return event === expected ? [] : [`is named ${String(event)} instead of ${String(expected)}`];
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
