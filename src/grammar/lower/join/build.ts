/** Expands the states of joined alternatives: which members may come next, and what follows each value. */
import {
  AutomatonTooLarge,
  type Automaton,
  automatonOfTexts,
  intersect,
  isEmpty,
  noString,
  union,
} from "../../regular/automaton.js";
import { type Term, type Check, mergeChecks } from "../language.js";
import type { TermPlan } from "../plan/plan.js";
import type { GrammarScope } from "../scope.js";
import { nextMembers, type MemberChoice, divideMembers } from "./members.js";
import type { Node } from "./nodes.js";
import type { Reach } from "./reach.js";
import type { Edge, Item, State, States } from "./state.js";
import { ExactNumber } from "../../regular/number/decimal.js";
import { jsonText } from "../../schema/json-text.js";
import type { JsonValue } from "../../schema/node.js";
import { checksOfNumber, numberTexts } from "../numbers.js";
import { uniteStrings } from "../strings.js";

/** What joining needs from the terms of the schema. */
export interface Parts {
  readonly scope: GrammarScope;
  readonly reach: Reach;
  findPlan(term: Term): TermPlan;
  listNodes(term: Term, kind: Node["kind"]): readonly Node[];
  /** Returns the term of these objects or arrays. */
  body(kind: Node["kind"], nodes: readonly Node[]): Term;
  scalars(term: Term): Term | null;
  /** Whether the alternatives that are being joined are among what these terms have. */
  reachesOwner(terms: ReadonlySet<Term>): boolean;
}

/** One value of a place, what follows it, and the terms that both can contain. */
interface Group {
  readonly term: Term;
  readonly plan: TermPlan;
  readonly next: State | null;
  readonly reached: ReadonlySet<Term>;
}

export class Build {
  readonly #parts: Parts;
  readonly #states: States;
  /** The values that are written out, by what follows them. */
  readonly #opened = new Map<State, Set<string>>();
  readonly #openedMax: number;
  /** Whether the states allow more than the alternatives. */
  isSuperset = false;

  /** @param openedMax the levels of nested values that are written out where alternatives differ below them */
  constructor(parts: Parts, states: States, openedMax: number) {
    this.#openedMax = openedMax;
    this.#parts = parts;
    this.#states = states;
  }

  /** Computes what may come next in a state. @throws TooManyStates, AutomatonTooLarge */
  expand(state: State): void {
    const ending = state.items.filter(({ node }) => node.ends);
    state.ends = ending.length > 0;
    state.closed = this.#states.join(ending.map(({ rest }) => rest));
    state.whole = state.items.flatMap(({ node, rest }) =>
      node.whole === null ? [] : [{ plan: node.whole, next: rest }],
    );
    const items = state.items.filter(({ node }) => node.whole === null);
    const { members, later } = nextMembers(items, this.#parts.scope);
    state.members = members.map(({ key, choices }) => ({ key, edges: this.#edges(choices, state) }));
    state.later = later === null ? null : this.#states.of(later);
  }

  #edges(choices: readonly MemberChoice[], state: State): readonly Edge[] {
    const byTerm = new Map<Term, Item[]>();
    for (const { term, after } of choices) byTerm.set(term, [...(byTerm.get(term) ?? []), after]);
    const values = [...byTerm].map(([term, items]) => ({ term, next: this.#states.of(items) }));
    const apart = values.map(({ term, next }) => ({ value: { kind: "term", term } as const, next }));
    if (values.length < 2) return apart;
    const groups = values.map(({ term, next }) => this.#group(term, next));
    const dangerous = this.#multiply(groups);
    return dangerous ? this.#divided(groups, state) : apart;
  }

  #group(term: Term, next: State): Group {
    const { reach } = this.#parts;
    const reached = new Set([...reach.ofTerm(term), ...reach.ofState(next)]);
    return { term, plan: this.#parts.findPlan(term), next, reached };
  }

  /** Returns whether positions in two of the groups could multiply, or add up without a limit, in nested values. */
  #multiply(groups: readonly Group[]): boolean {
    const { reach } = this.#parts;
    const owner = groups.map(({ reached }) => this.#parts.reachesOwner(reached));
    const recursive = groups.map(({ reached }) => [...reached].some((term) => reach.isRecursive(term)));
    return groups.some((one, i) =>
      groups.slice(i + 1).some((other, offset) => {
        const j = i + 1 + offset;
        if ((owner[i] === true && recursive[j] === true) || (owner[j] === true && recursive[i] === true))
          return true;
        return [...one.reached].some((term) => other.reached.has(term) && reach.hasAlternatives(term));
      }),
    );
  }

  /** Returns edges of which no two can have the same value, as far as that is possible. */
  #divided(groups: readonly Group[], state: State): readonly Edge[] {
    return [
      ...this.#scalarEdges(groups),
      ...this.#structureEdges("object", groups, state),
      ...this.#structureEdges("array", groups, state),
    ];
  }

  #scalarEdges(groups: readonly Group[]): readonly Edge[] {
    const join = (states: readonly (State | null)[]): State | null => this.#states.join(states);
    try {
      if (overlap(groups)) return scalarEdges(groups, join);
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      const loops = groups.some(({ reached }) => this.#parts.reachesOwner(reached));
      if (loops)
        return this.#superset(
          groups.map(({ term }) => this.#parts.scalars(term)),
          groups,
        );
    }
    return groups.flatMap(({ term, next }) => {
      const scalars = this.#parts.scalars(term);
      return scalars === null ? [] : [{ value: { kind: "term", term: scalars } as const, next }];
    });
  }

  /** Returns edges that allow what follows any of the groups after each of these values; the validator decides. */
  #superset(terms: readonly (Term | null)[], groups: readonly Group[]): readonly Edge[] {
    this.isSuperset = true;
    const next = this.#states.join(groups.map((group) => group.next));
    return terms.flatMap((term) => (term === null ? [] : [{ value: { kind: "term", term } as const, next }]));
  }

  #structureEdges(kind: Node["kind"], groups: readonly Group[], state: State): readonly Edge[] {
    const followers = new Map<Node, (State | null)[]>();
    for (const { term, next } of groups)
      for (const node of this.#parts.listNodes(term, kind))
        followers.set(node, [...(followers.get(node) ?? []), next]);
    const nodes = new Map<State | null, Node[]>();
    const items: Item[] = [];
    for (const [node, all] of followers) {
      const rest = this.#states.join(all);
      items.push({ node, rest });
      nodes.set(rest, [...(nodes.get(rest) ?? []), node]);
    }
    if (nodes.size > 1) {
      const opened = this.#open(items, state);
      if (opened !== null) return [{ value: { kind: "open", state: opened }, next: null }];
      if (groups.some(({ reached }) => this.#parts.reachesOwner(reached)))
        return this.#superset([this.#parts.body(kind, [...followers.keys()])], groups);
    }
    return [...nodes].map(([next, same]) => ({
      value: { kind: "term", term: this.#parts.body(kind, same) } as const,
      next,
    }));
  }

  /** Returns the state inside of these values, or null where writing them out would not end. */
  #open(items: readonly Item[], state: State): State | null {
    const key = items
      .map(({ node }) => node.id)
      .toSorted((a, b) => a - b)
      .join(" ");
    let depth = 0;
    if (this.#openedMax === 0) return null;
    for (let rest = state.items[0]?.rest ?? null; rest !== null; rest = rest.items[0]?.rest ?? null) {
      depth += 1;
      if (depth >= this.#openedMax || this.#opened.get(rest)?.has(key) === true) return null;
    }
    for (const { rest } of items)
      if (rest !== null) this.#opened.set(rest, new Set([...(this.#opened.get(rest) ?? []), key]));
    return this.#states.of(items);
  }
}

// Divides the values without members of several terms into classes. All values of a class are in the same terms.

/** The values without members of one term, and what follows. */
interface Scalars {
  readonly plan: TermPlan;
  readonly next: State | null;
}

type Divided = readonly { readonly names: Automaton; readonly choices: readonly Scalars[] }[];

/** Returns whether a value without members may belong to two of the terms that go on in different ways. */
function overlap(all: readonly Scalars[]): boolean {
  return all.some((one, index) =>
    all.slice(index + 1).some((other) => one.next !== other.next && overlapTwo(one.plan, other.plan)),
  );
}

function overlapTwo(a: TermPlan, b: TermPlan): boolean {
  try {
    if (!isEmpty(intersect(listNumbers(a), listNumbers(b)))) return true;
    if (!isEmpty(intersect(listStrings(a), listStrings(b)))) return true;
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return true;
  }
  const texts = new Set(listOthers(a).map(jsonText));
  return listOthers(b).some((value) => texts.has(jsonText(value)));
}

/**
 * Returns the edges of all values without members.
 * @throws AutomatonTooLarge, TooManyStates
 */
function scalarEdges(
  all: readonly Scalars[],
  join: (states: readonly (State | null)[]) => State | null,
): readonly Edge[] {
  const edges: Edge[] = [];
  const add = (kind: "strings" | "numbers", divided: Divided, checks: readonly Check[]): void => {
    const byNext = new Map<State | null, Automaton>();
    for (const { names, choices } of divided) {
      const next = join(choices.map((choice) => choice.next));
      byNext.set(next, union(byNext.get(next) ?? noString, names));
    }
    for (const [next, automaton] of byNext) edges.push({ value: { kind, automaton, checks }, next });
  };
  const numberChecks = all.flatMap(({ plan }) =>
    plan.numbers.map((shape) => checksOfNumber(shape, plan.pointer)),
  );
  const stringChecks = all.flatMap(({ plan }) => plan.strings.map((shape) => shape.checks));
  const merged = (checks: readonly (readonly Check[])[]): readonly Check[] =>
    checks.reduce((some, more) => mergeChecks(some, more), []);
  add("numbers", divideMembers(divideScalars(all, listNumbers)), merged(numberChecks));
  add("strings", divideMembers(divideScalars(all, listStrings)), merged(stringChecks));
  const values = new Map<string, { readonly value: JsonValue; readonly next: (State | null)[] }>();
  for (const { plan, next } of all)
    for (const value of listOthers(plan)) {
      const known = values.get(jsonText(value)) ?? { value, next: [] };
      known.next.push(next);
      values.set(jsonText(value), known);
    }
  const byNext = new Map<State | null, JsonValue[]>();
  for (const { value, next } of values.values()) {
    const joined = join(next);
    byNext.set(joined, [...(byNext.get(joined) ?? []), value]);
  }
  for (const [next, listed] of byNext) edges.push({ value: { kind: "values", values: listed }, next });
  return edges;
}

function divideScalars(all: readonly Scalars[], automatonOfPlan: (plan: TermPlan) => Automaton): Divided {
  return all
    .map((scalars) => ({ names: automatonOfPlan(scalars.plan), choices: [scalars] }))
    .filter(({ names }) => !isEmpty(names));
}

const known = new WeakMap<TermPlan, { strings?: Automaton; numbers?: Automaton }>();

function listStrings(plan: TermPlan): Automaton {
  const before = known.get(plan) ?? {};
  known.set(plan, before);
  before.strings ??= uniteStrings(
    plan.strings,
    plan.values.filter((value) => typeof value === "string"),
  );
  return before.strings;
}

function listNumbers(plan: TermPlan): Automaton {
  const before = known.get(plan) ?? {};
  known.set(plan, before);
  if (before.numbers === undefined) {
    const texts = plan.values.filter(isNumber).map(jsonText);
    let all = texts.length === 0 ? noString : automatonOfTexts(texts);
    for (const shape of plan.numbers) all = union(all, numberTexts(shape).automaton ?? noString);
    before.numbers = all;
  }
  return before.numbers;
}

/** Returns the listed values that are neither strings nor numbers, nor have members. */
function listOthers(plan: TermPlan): readonly JsonValue[] {
  return plan.values.filter((value) => value === null || typeof value === "boolean");
}

function isNumber(value: JsonValue): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}
