/** The states of alternatives that are written together: what may follow after a text, in all alternatives that it leaves open. */
import type { Automaton } from "../../regular/automaton.js";
import { spend } from "../../work.js";
import type { JsonValue } from "../../schema/node.js";
import type { ArrayPlan } from "../plan/plan.js";
import type { Check, Term } from "../language.js";
import { includes, type Node } from "./nodes.js";

/** A node, and what follows after its object or array; null where the value ends with it. */
export interface Item {
  readonly node: Node;
  readonly rest: State | null;
}

/** The first part of a value, and what follows. */
type JoinValue =
  | { readonly kind: "term"; readonly term: Term }
  | { readonly kind: "strings" | "numbers"; readonly automaton: Automaton; readonly checks: readonly Check[] }
  | { readonly kind: "values"; readonly values: readonly JsonValue[] }
  | { readonly kind: "open"; readonly state: State };

export interface Edge {
  readonly value: JoinValue;
  /** What follows after the value; for "open", the state says it. */
  readonly next: State | null;
}

export interface JoinMember {
  readonly key: string | Automaton | null;
  readonly edges: readonly Edge[];
}

export interface State {
  readonly id: number;
  readonly items: readonly Item[];
  /** What may come next, with `later` for the keys behind them. */
  members: readonly JoinMember[];
  later: State | null;
  /** Whether the object or array may end here, and what follows then. */
  ends: boolean;
  closed: State | null;
  /** Arrays that are not divided into nodes, with what follows. */
  whole: readonly { readonly plan: ArrayPlan; readonly next: State | null }[];
}

/** Thrown when alternatives that are written together need too many states. */
export class TooManyStates extends Error {}

/** The states of the alternatives of one term, and the alternatives at one place. */
const statesMax = 1_500;
const itemsMax = 160;

export class States {
  readonly #known = new Map<string, State>();
  readonly #made: State[] = [];

  /** The states in the order of their creation; it grows while they are expanded. */
  get all(): readonly State[] {
    return this.#made;
  }

  /** Returns the state of these alternatives. @throws TooManyStates */
  of(items: readonly Item[]): State {
    const merged = withoutIncluded(this.#merged(items));
    if (merged.length > itemsMax) throw new TooManyStates();
    const key = merged.map(({ node, rest }) => `${node.id}:${rest?.id ?? ""}`).join(" ");
    spend(2 + merged.length);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#made.length >= statesMax) throw new TooManyStates();
    const state: State = {
      id: this.#made.length,
      items: merged,
      members: [],
      later: null,
      ends: false,
      closed: null,
      whole: [],
    };
    this.#known.set(key, state);
    this.#made.push(state);
    return state;
  }

  /** Returns the state in which one of these states goes on; null where the value ends. */
  join(states: readonly (State | null)[]): State | null {
    const [first = null, ...more] = new Set(states);
    if (first === null || more.length === 0) return first;
    return this.of([first, ...more].flatMap((state) => state?.items ?? []));
  }

  #merged(items: readonly Item[]): readonly Item[] {
    const rests = new Map<Node, (State | null)[]>();
    for (const { node, rest } of items) rests.set(node, [...(rests.get(node) ?? []), rest]);
    return [...rests]
      .map(([node, all]) => ({ node, rest: this.join(all) }))
      .toSorted((a, b) => a.node.id - b.node.id);
  }
}

/** Leaves out the alternatives that another one contains. */
function withoutIncluded(items: readonly Item[]): readonly Item[] {
  if (items.length < 2 || items.length > itemsMax) return items;
  let kept = items;
  for (const item of items)
    if (kept.some((other) => other !== item && other.rest === item.rest && includes(other.node, item.node)))
      kept = kept.filter((other) => other !== item);
  return kept;
}
