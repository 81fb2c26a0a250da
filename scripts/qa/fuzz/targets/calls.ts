import { isDeepStrictEqual } from "node:util";
import type { ToolEvent } from "../../../../src/engine/language/tools/parse/output.js";
import {
  eventsOf,
  familyNames,
  format,
  joined,
  tools,
  transcripts,
} from "../../../../test/kit/engine/tool-answers.js";
import { Chance } from "../../figures/chance.js";
import { check } from "../../checks/violation.js";
import type { FuzzTarget } from "../target.js";

const formats = familyNames.map((family) => ({ family, format: format(family) }));
const names: ReadonlySet<string> = new Set(tools.map(({ name }) => name));

export const target: FuzzTarget = {
  guarantee:
    "an answer is read as text and calls of known tools with JSON objects, however it is split, in each family of formats",
  format: "text",
  bytesMax: 1024,
  msMax: 5000,
  corpus: "calls",
  words: formats.flatMap(({ format: { marks } }) => marks),
  seeds: () => familyNames.flatMap((family) => transcripts(family).map(({ answer }) => Buffer.from(answer))),
  run(input) {
    const answer = Buffer.from(input).toString("utf8");
    const pieces = cutText(answer);
    return formats
      .map(({ family, format: of }) => {
        const events = joined(eventsOf(of, [answer]));
        const split = joined(eventsOf(of, pieces));
        check(
          isDeepStrictEqual(split, events),
          () => `${family} reads ${JSON.stringify(pieces)} otherwise than whole`,
        );
        checkEvents(family, events);
        if (family !== "harmony") checkOrder(family, answer, events);
        return events.some(({ type }) => type === "call-end") ? family : "";
      })
      .join(" ");
  },
};

/** Splits a text at places that depend on nothing else. */
function cutText(text: string): readonly string[] {
  const chance = new Chance(text.length);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(at, at + chance.between(1, 9)));
  return pieces;
}

/** Checks that each call begins, has its arguments and ends, before the next one begins. */
function checkEvents(family: string, events: readonly ToolEvent[]): void {
  const is = (holds: boolean): void =>
    check(holds, () => `${family} has the events ${JSON.stringify(events)}`);
  let calls = 0;
  let isOpen = false;
  let written = "";
  for (const event of events) {
    is(isOpen === (event.type === "call-delta" || event.type === "call-end" || event.type === "call-broken"));
    if (event.type === "text" || event.type === "reasoning") continue;
    is(event.index === (isOpen ? calls - 1 : calls));
    if (event.type === "call-start") {
      is(names.has(event.name));
      calls += 1;
      written = "";
    } else if (event.type === "call-delta") written += event.arguments;
    else if (event.type === "call-end") is(isObject(written));
    isOpen = event.type === "call-start" || event.type === "call-delta";
  }
  is(!isOpen);
}

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Checks that texts and broken calls are parts of the answer, in its order. */
function checkOrder(family: string, answer: string, events: readonly ToolEvent[]): void {
  let at = 0;
  for (const event of events) {
    if (event.type !== "text" && event.type !== "call-broken") continue;
    for (const part of event.text.split(/\s+/)) {
      const found = answer.indexOf(part, at);
      check(
        found >= at,
        () => `${family} has a text that is not of the answer: ${JSON.stringify(event.text)}`,
      );
      at = found + part.length;
    }
  }
}
