import type { GrammarStacks, ReadyStacks } from "../../../src/grammar/follow/stacks.js";

/** Returns a seeded source of numbers from 0 to below 1. */
export function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 7919;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const whiteSpace = new Set([" ", "\t", "\n", "\r"]);

/** Returns the characters that may come next, without white space; "" for the end. */
function nextCharacters(stacks: ReadyStacks): readonly string[] {
  const found = new Set<string>();
  for (const stack of stacks) {
    if (stack === null) found.add("");
    else if (stack.head.kind === "text") found.add(String.fromCodePoint(...stack.head.points.slice(0, 1)));
    else if (stack.head.kind === "class")
      for (const point of stack.head.negated ? [97] : stack.head.ranges)
        found.add(String.fromCodePoint(point));
  }
  return [...found].filter((character) => !whiteSpace.has(character));
}

/**
 * Returns a text of the grammar that opens an object or array wherever it can until it is `depth` levels deep, and closes them after that.
 * @param note called with the positions after each character
 */
export function randomText(
  grammar: GrammarStacks,
  depth: number,
  random: () => number,
  note: (stacks: ReadyStacks) => void = () => undefined,
): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  let at = grammar.atStart();
  let [text, level, deepest] = ["", 0, 0];
  for (;;) {
    note(at);
    const all = nextCharacters(at);
    const openers = all.filter((character) => "{[".includes(character) && character !== "");
    const closers = all.filter((character) => ["}", "]", '"', ""].includes(character));
    const others = all.filter((character) => !["{", "[", "}", "]", ""].includes(character));
    const isDeep = deepest >= depth;
    let next = pick(all);
    if (!isDeep && openers.length > 0) next = pick(openers);
    else if (isDeep && closers.length > 0 && random() < 0.8) next = pick(closers);
    else if (others.length > 0 && (isDeep || random() < 0.9)) next = pick(others);
    if (next === "") return text;
    at = grammar.after(at, next.codePointAt(0) ?? 0);
    text += next;
    if ("{[".includes(next)) deepest = Math.max(deepest, ++level);
    else if ("}]".includes(next)) level -= 1;
  }
}

const leaves = [1, 2, 5, 2.5, "a", "b", "c", "x", "+", "*", "leaf", null, true, {}, []] as const;

/** Returns a value with one change: a part of another value in place of one of its own, a key less or more, or another leaf. */
export function mutate(values: readonly unknown[], random: () => number): unknown {
  const pick = <Item>(from: readonly Item[]): Item | undefined => from[Math.floor(random() * from.length)];
  const part = (): unknown => (random() < 0.4 ? pick(leaves) : pick(partsOf(pick(values))));
  const change = (value: unknown): unknown => {
    if (random() < 0.25 || typeof value !== "object" || value === null) return part();
    if (Array.isArray(value)) {
      const index = Math.floor(random() * (value.length + 1));
      const kept = random() < 0.3 ? [] : [index < value.length ? change(value[index]) : part()];
      return [...(value.slice(0, index) as unknown[]), ...kept, ...(value.slice(index + 1) as unknown[])];
    }
    const key = pick([...Object.keys(value), pick(["left", "op", "right", "a", "b", "z"]) ?? ""]) ?? "";
    const { [key]: before, ...rest } = value as Record<string, unknown>;
    if (random() < 0.3) return rest;
    return { ...rest, [key]: before === undefined ? part() : change(before) };
  };
  return change(pick(values));
}

function partsOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

/** Returns in how many orders the keys of a value can be written. */
export function orderCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const own = Array.isArray(value)
    ? 1
    : Object.keys(value).reduce((product, _, index) => product * (index + 1), 1);
  return Object.values(value).reduce((product: number, item) => product * orderCount(item), own);
}
