/** Derives the body of a call, without the marks around it, from a text in which a probe's call is written. */
import { isDeepStrictEqual } from "node:util";
import type { CallBody, EnvelopeBody, EnvelopeMember } from "../tools/syntax.js";
import { jsonObjectsIn, type FoundJson } from "./json-at.js";
import type { FoundBody } from "./found-body.js";
import { bracketBody } from "./notation.js";
import { splitMark, sharedEnd, sharedStart } from "./pieces.js";
import type { ProbeCall } from "./probes.js";
import { taggedBody } from "./tagged.js";

/** Returns the body of a call that is written between two places; null where none is recognised. */
export function findBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const objects = jsonObjectsIn(text, from, to);
  return (
    findEnvelope(objects, call) ??
    findBareName(text, objects, call, from) ??
    taggedBody(text, call, from, to) ??
    bracketBody(text, call, from, to)
  );
}

function findEnvelope(objects: readonly FoundJson[], call: ProbeCall): FoundBody | null {
  for (const { start, end, value } of objects) {
    const body = readEnvelope(value, call);
    if (body !== null) return { body, start, end };
    for (const [wrapper, inner] of Object.entries(value)) {
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) continue;
      const wrapped = readEnvelope(inner as Record<string, unknown>, call);
      if (wrapped === null) continue;
      const members = [...readMembers(value, [wrapper], call, true), ...(wrapped.members ?? [])];
      return { body: { ...wrapped, wrapper, members }, start, end };
    }
  }
  return null;
}

function readEnvelope(value: Readonly<Record<string, unknown>>, call: ProbeCall): EnvelopeBody | null {
  const keys = Object.keys(value);
  const nameKey = keys.find((key) => value[key] === call.name);
  const argumentsKey = keys.find((key) => isArguments(value[key], call));
  if (nameKey === undefined || argumentsKey === undefined) return null;
  const argumentsFirst = keys.indexOf(argumentsKey) < keys.indexOf(nameKey);
  return {
    type: "envelope",
    nameKey,
    argumentsKey,
    members: readMembers(
      value,
      argumentsFirst ? [argumentsKey, nameKey] : [nameKey, argumentsKey],
      call,
      false,
    ),
    ...(argumentsFirst ? { argumentsFirst } : {}),
  };
}

/** Arguments may be written as a text with JSON. */
function isArguments(value: unknown, call: ProbeCall): boolean {
  return isDeepStrictEqual(value, call.arguments) || value === JSON.stringify(call.arguments);
}

/** Returns the members besides the main ones. A value that may be an id or a number of the call is not constant. */
function readMembers(
  value: Readonly<Record<string, unknown>>,
  main: readonly string[],
  call: ProbeCall,
  outer: boolean,
): readonly EnvelopeMember[] {
  const keys = Object.keys(value);
  const [first = 0, last = first] = main.map((key) => keys.indexOf(key));
  return keys
    .filter((key) => !main.includes(key))
    .map((key) => {
      const at = keys.indexOf(key);
      const place = at < first ? "first" : at < last ? "between" : "last";
      const each = value[key];
      const isConstant = typeof each === "string" && each !== call.id && !/\d/.test(each);
      return { key, place, outer, ...(isConstant ? { value: JSON.stringify(each) } : {}) };
    });
}

function findBareName(
  text: string,
  objects: readonly FoundJson[],
  call: ProbeCall,
  from: number,
): FoundBody | null {
  const start = text.indexOf(call.name, from);
  const found = objects.find(
    (object) => object.start > start && isDeepStrictEqual(object.value, call.arguments),
  );
  if (start < 0 || found === undefined) return null;
  const middle = text.slice(start + call.name.length, found.start);
  return { body: { type: "bare-name", afterName: splitMark(middle) }, start, end: found.end, middle };
}

/**
 * Returns the body that both calls have: where the texts between name and arguments differ, they differ by an id. Returns null where the
 * calls have no common body.
 */
export function commonBody(first: FoundBody, second: FoundBody): CallBody | null {
  const { body, middle } = first;
  if ((body.type !== "bare-name" && body.type !== "tagged") || middle === undefined)
    return isDeepStrictEqual(body, second.body) ? body : null;
  if (middle === second.middle) return isDeepStrictEqual(body, second.body) ? body : null;
  const parts = aroundId(middle, second.middle ?? "");
  if (parts === null || body.type !== second.body.type) return null;
  const { mark, characters, close } = parts;
  const changed = { ...body, afterName: splitMark(close), idAfterName: { mark, characters } };
  return isDeepStrictEqual({ ...second.body, afterName: body.afterName }, body) ? changed : null;
}

/** Returns what two texts share before and after the ids by which they differ. */
function aroundId(
  first: string,
  second: string,
): { readonly mark: string; readonly characters: string; readonly close: string } | null {
  const mark = sharedStart(first, second);
  const close = sharedEnd(first.slice(mark.length), second.slice(mark.length));
  const ids = [first, second].map((each) => each.slice(mark.length, each.length - close.length));
  if (mark.trim() === "" || close.trim() === "" || ids.some((id) => !/^[\w.-]+$/.test(id))) return null;
  return { mark, close, characters: ids.every((id) => /^\d+$/.test(id)) ? "0-9" : "a-zA-Z0-9_.-" };
}
