/** Finds JSON objects in a text. */
import { readJsonValue } from "../tools/parse/json.js";
import { AnswerSource } from "../tools/parse/source.js";

export interface FoundJson {
  readonly start: number;
  readonly end: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Objects that are tried in one text. */
const objectsMax = 64;

/** Returns the objects that begin between two places of a text, in order; also those inside of others. */
export function jsonObjectsIn(text: string, from: number, to: number): readonly FoundJson[] {
  const found: FoundJson[] = [];
  let start = text.indexOf("{", from);
  for (let count = 0; start >= 0 && start < to && count < objectsMax; count++) {
    const end = jsonEnd(text, start);
    if (end !== null)
      found.push({ start, end, value: JSON.parse(text.slice(start, end)) as Record<string, unknown> });
    start = text.indexOf("{", start + 1);
  }
  return found;
}

/** Returns where the value ends that begins here; null when it is not JSON. */
function jsonEnd(text: string, start: number): number | null {
  const source = new AnswerSource();
  source.feed(text);
  source.at = start;
  source.ended = true;
  const step = readJsonValue(source).next();
  return step.done === true && step.value ? source.at : null;
}
