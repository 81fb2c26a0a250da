/** Lists the values of terms that have few. */
import { textsOf } from "../../regular/automaton.js";
import { parseJson } from "../../schema/json-text.js";
import type { JsonValue } from "../../schema/node.js";
import type { Term } from "../language.js";
import { numberTexts } from "../numbers.js";
import type { Scope } from "../scope.js";
import { automatonOf } from "../strings.js";
import { planObjects } from "./plan-object.js";

/** Objects in objects of which the values are listed. */
const depthMax = 3;

/** Returns the values of a term; null where there are more than `countMax`, or where that is not known. */
export function listedValues(
  term: Term,
  scope: Scope,
  countMax: number,
  depth = 0,
): readonly JsonValue[] | null {
  const { values, numbers, strings, arrays, objects } = scope.language(term);
  if (arrays.length > 0 || depth >= depthMax) return null;
  const all: JsonValue[] = [...values];
  const add = (more: readonly JsonValue[] | null): boolean => {
    if (more === null) return false;
    all.push(...more);
    return all.length <= countMax;
  };
  for (const shape of numbers) {
    const { automaton, exact } = numberTexts(shape);
    if (!exact || shape.checks.length > 0) return null;
    const texts = automaton === null ? [] : textsOf(automaton, countMax);
    if (!add(texts?.map((text) => parseJson(text) as JsonValue) ?? null)) return null;
  }
  for (const shape of strings)
    if (shape.checks.length > 0 || !add(textsOf(automatonOf([shape], []), countMax))) return null;
  for (const shape of objects) {
    const [plan, second] = planObjects(shape, scope, { pointer: "", moreKeys: new Map() });
    if (plan === undefined) continue;
    if (second !== undefined) return null;
    const { entries, extras, checks, clauses, minProperties, maxProperties } = plan;
    const isCounted = clauses.length > 0 || minProperties > 0 || maxProperties !== null;
    if (extras.length > 0 || checks.length > 0 || isCounted) return null;
    let listed: readonly Readonly<Record<string, JsonValue>>[] = [{}];
    for (const { key, term: inner, required } of entries) {
      const parts = listedValues(inner, scope, countMax, depth + 1);
      if (parts === null || typeof key !== "string") return null;
      const present = listed.flatMap((object) =>
        parts.map((value) => Object.fromEntries([...Object.entries(object), [key, value]])),
      );
      listed = required ? present : [...present, ...listed];
      if (listed.length > countMax) return null;
    }
    if (!add(listed)) return null;
  }
  return all;
}
