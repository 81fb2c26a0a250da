/** The keys that may come next in several objects at once, each key with all objects that have it. */
import { accepts, difference, intersect, isEmpty, type Automaton } from "../../regular/automaton.js";
import { spend } from "../../work.js";
import type { Term } from "../language.js";
import type { GrammarScope } from "../scope.js";
import type { Node } from "./nodes.js";
import { TooManyStates, type Item } from "./state.js";

/** What a key may have as its value, and the alternative that it belongs to. */
export interface MemberChoice {
  readonly term: Term;
  readonly after: Item;
}

interface Choices {
  readonly key: string | Automaton | null;
  readonly choices: readonly MemberChoice[];
}

interface NextMembers {
  readonly members: readonly Choices[];
  /** The alternatives without these members; null where there are none. */
  readonly later: readonly Item[] | null;
}

/** The choices of one place that are compared with each other, and the classes of keys without a position. */
const choicesMax = 400;
const classesMax = 24;

export function nextMembers(items: readonly Item[], scope: GrammarScope): NextMembers {
  const [first] = items;
  if (first?.node.kind === "array") return { members: allItems(items), later: null };
  const key = separableKey(items);
  if (key === null) return { members: flatMembers(items, scope), later: null };
  const choices: MemberChoice[] = [];
  const later: Item[] = [];
  for (const item of items) {
    const { node, rest } = item;
    const option = node.options.find((each) => each.key === key);
    if (option === undefined) later.push(item);
    else {
      choices.push({ term: option.term, after: { node: option.after, rest } });
      if (node.skipped !== null) later.push({ node: node.skipped, rest });
    }
  }
  const more = later.filter(({ node }) => hasMember(node));
  return { members: [{ key, choices }], later: more.length === 0 ? null : more };
}

function hasMember(node: Node): boolean {
  return node.options.length > 0 || (node.skipped !== null && hasMember(node.skipped));
}

function allItems(items: readonly Item[]): readonly Choices[] {
  const choices = items.flatMap(({ node, rest }) =>
    node.options.map((option) => ({ term: option.term, after: { node: option.after, rest } })),
  );
  return choices.length === 0 ? [] : [{ key: null, choices }];
}

/** Returns a key that is the next one of some objects and that no other object has later. */
function separableKey(items: readonly Item[]): string | null {
  const heads = new Set(items.map(({ node }) => node.options[0]?.key));
  for (const key of heads)
    if (
      typeof key === "string" &&
      items.every(({ node }) => node.options[0]?.key === key || !offers(node, key))
    )
      return key;
  return null;
}

function offers(from: Node, key: string): boolean {
  for (let node: Node | null = from; node !== null; node = node.skipped) {
    spend(1);
    for (const option of node.options) {
      if (
        typeof option.key === "string" ? option.key === key : option.key !== null && accepts(option.key, key)
      )
        return true;
    }
  }
  return false;
}

/** Returns all keys that may come next. No two of them have a key in common. */
function flatMembers(items: readonly Item[], scope: GrammarScope): readonly Choices[] {
  const named = new Map<string, MemberChoice[]>();
  const classes: { readonly names: Automaton; readonly choices: MemberChoice[] }[] = [];
  let count = 0;
  for (const { node: start, rest } of items)
    for (let node: Node | null = start; node !== null; node = node.skipped)
      for (const { key, term, after } of node.options) {
        if (++count > choicesMax) throw new TooManyStates();
        const choice = { term, after: { node: after, rest } };
        if (typeof key === "string") named.set(key, [...(named.get(key) ?? []), choice]);
        else if (key !== null) classes.push({ names: key, choices: [choice] });
      }
  for (const [key, choices] of named)
    for (const { names, choices: more } of classes) if (accepts(names, key)) choices.push(...more);
  const keys = new Set(named.keys());
  const divided = divideMembers(
    classes.map(({ names, choices }) => ({ names: scope.withoutTexts(names, keys), choices })),
  );
  return [
    ...[...named].map(([key, choices]) => ({ key, choices })),
    ...divided.map(({ names, choices }) => ({ key: names, choices })),
  ];
}

/** Divides classes of keys into classes that have no key in common. */
export function divideMembers<Thing>(
  classes: readonly { readonly names: Automaton; readonly choices: readonly Thing[] }[],
): readonly { readonly names: Automaton; readonly choices: readonly Thing[] }[] {
  let divided: { readonly names: Automaton; readonly choices: readonly Thing[] }[] = [];
  for (const { names, choices } of classes) {
    let rest = names;
    const next: typeof divided = [];
    for (const known of divided) {
      if (known.names === rest) {
        next.push({ names: rest, choices: [...known.choices, ...choices] });
        rest = difference(rest, rest);
        continue;
      }
      const common = intersect(known.names, rest);
      if (isEmpty(common)) {
        next.push(known);
        continue;
      }
      next.push({ names: common, choices: [...known.choices, ...choices] });
      const left = difference(known.names, common);
      if (!isEmpty(left)) next.push({ names: left, choices: known.choices });
      rest = difference(rest, common);
    }
    if (!isEmpty(rest)) next.push({ names: rest, choices });
    if (next.length > classesMax) throw new TooManyStates();
    divided = next;
  }
  return divided;
}
