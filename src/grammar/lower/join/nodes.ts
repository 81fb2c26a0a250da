/**
 * The members of an object plan and the items of an array plan as the nodes of an automaton. Plans that go on in the same way share their
 * nodes, so that alternatives can be compared from any member on.
 */
import type { Automaton } from "../../regular/automaton.js";
import { spend } from "../../work.js";
import { isObject } from "../../schema/location.js";
import type { JsonValue } from "../../schema/node.js";
import { countedPlan, type NodeContext } from "../emit/object.js";
import type { Term } from "../language.js";
import type { Counting } from "../plan/counting.js";
import type { ArrayPlan, ObjectPlan } from "../plan/plan.js";
import { splitItem } from "../plan/plans.js";
import type { GrammarScope } from "../scope.js";

/** One member or item that may come next. */
interface Option {
  /** The key, the automaton of the keys without a position, or null for an item of an array. */
  readonly key: string | Automaton | null;
  readonly term: Term;
  readonly after: Node;
}

/** What may follow in an object or an array. */
export interface Node {
  readonly id: number;
  readonly kind: "object" | "array";
  readonly ends: boolean;
  readonly options: readonly Option[];
  /** The members that may come next when none of `options` does. */
  readonly skipped: Node | null;
  /** Items that are not divided into nodes. */
  readonly whole: ArrayPlan | null;
  /** Whether it is the beginning of an array whose items must differ although the rules allow equal ones. */
  readonly marked: boolean;
}

/** The longest array that has a node for each of its items. */
const positionsMax = 64;

export class Nodes {
  readonly #context: NodeContext;
  readonly #scope: GrammarScope;
  readonly #constant: (value: JsonValue) => Term;
  readonly #known = new Map<string, Node>();
  readonly #ids = new Map<object, number>();
  readonly #made = new Map<object, Node | null>();
  readonly #plans = new Map<Node, ObjectPlan | ArrayPlan>();
  #count = 0;

  /** @param constant returns the term of exactly one value */
  constructor(context: NodeContext, scope: GrammarScope, constant: (value: JsonValue) => Term) {
    this.#context = context;
    this.#scope = scope;
    this.#constant = constant;
  }

  /** Returns a plan of a node that a plan has, or undefined. */
  findPlan(node: Node): ObjectPlan | ArrayPlan | undefined {
    return this.#plans.get(node);
  }

  /** Returns the node of the whole object, or null if no object satisfies the plan. */
  ofObject(plan: ObjectPlan, pointer: string): Node | null {
    return this.#memoized(plan, () => {
      const counted = countedPlan(plan, { ...this.#context, pointer });
      return counted === null ? null : this.#chain(counted.plan, counted.counting);
    });
  }

  /** Returns the node of the whole array, or null if no array satisfies the plan. */
  ofArray(plan: ArrayPlan): Node | null {
    return this.#memoized(plan, () => {
      this.#context.recordChecks(plan.checks);
      const { contained, marked, maxItems, minItems, prefix } = plan;
      const positions = Math.max(prefix.length, minItems, maxItems ?? 0);
      const counts = contained === null ? 1 : (contained.max ?? contained.min) + 1;
      if (plan.distinct === null && positions * counts <= positionsMax) {
        const first = this.#items(plan, positions, counts);
        return marked && first !== null ? this.#intern(`marked ${first.id}`, { ...first, marked }) : first;
      }
      const whole = { kind: "array", ends: false, options: [], skipped: null, whole: plan, marked } as const;
      return this.#intern(`whole ${this.#numberThing(plan)}`, whole);
    });
  }

  /** Returns the node of an array or object that is listed as a value. */
  ofValue(value: readonly JsonValue[] | Readonly<Record<string, JsonValue>>): Node {
    const kind = Array.isArray(value) ? "array" : "object";
    const members: readonly (readonly [string | null, JsonValue])[] = isObject(value)
      ? Object.entries(value)
      : value.map((item) => [null, item] as const);
    let after = this.#plain(kind, true, []);
    for (const [key, item] of members.toReversed())
      after = this.#plain(kind, false, [{ key, term: this.#constant(item), after }]);
    return after;
  }

  #memoized(plan: ObjectPlan | ArrayPlan, make: () => Node | null): Node | null {
    const known = this.#made.get(plan);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(plan, made);
    if (made !== null) this.#plans.set(made, plan);
    return made;
  }

  #chain(plan: ObjectPlan, counting: Counting): Node | null {
    const last = plan.entries.length;
    let later = this.#tail(plan, counting);
    for (let position = last - 1; position >= 0; position--) {
      const here = new Map<number, Node>();
      const entry = plan.entries[position];
      if (entry === undefined) continue;
      for (const state of counting.positions[position] ?? []) {
        spend(2);
        const taken = later.get(counting.after(position, state, true) ?? -1);
        const skipped = later.get(counting.after(position, state, false) ?? -1) ?? null;
        if (taken !== undefined) {
          const options = [{ key: entry.key, term: entry.term, after: taken }];
          here.set(state, this.#plain("object", skipped?.ends ?? false, options, skipped));
        } else if (skipped !== null) here.set(state, skipped);
      }
      later = here;
    }
    return later.get(0) ?? null;
  }

  /** Returns the nodes of the last position: any number of extra keys, and the end. */
  #tail(plan: ObjectPlan, counting: Counting): Map<number, Node> {
    const extras = plan.extras.filter(({ term }) => this.#context.isProductive(term));
    const last = plan.entries.length;
    const nodes = new Map<number, Node>();
    const make = (state: number): Node => {
      const known = nodes.get(state);
      if (known !== undefined) return known;
      const after = counting.after(last, state, true);
      const next = after === undefined || after === state ? null : make(after);
      const options =
        after === undefined ? [] : extras.map(({ names, term }) => ({ key: names, term, after: next }));
      const node = this.#plain("object", counting.ends(state), options);
      nodes.set(state, node);
      return node;
    };
    for (const state of counting.positions[last] ?? []) make(state);
    return nodes;
  }

  #items(plan: ArrayPlan, positions: number, counts: number): Node | null {
    const { contained, maxItems, minItems, prefix } = plan;
    let later: readonly (Node | null)[] = [];
    for (let position = positions; position >= 0; position--) {
      const here: (Node | null)[] = [];
      const term = (position < prefix.length ? prefix[position] : plan.rest) ?? null;
      const full = maxItems !== null && position >= maxItems;
      for (let count = counts - 1; count >= 0; count--) {
        const ends = position >= minItems && count >= (contained?.min ?? 0);
        const options: { key: null; term: Term; after: Node | null }[] = [];
        const add = (inner: Term, next: number): void => {
          if (next >= counts || !this.#context.isProductive(inner)) return;
          const isLoop = position === positions && next === count;
          const after = isLoop ? null : position === positions ? here[next] : later[next];
          if (isLoop || after != null) options.push({ key: null, term: inner, after: after ?? null });
        };
        if (term !== null && !full) this.#addItems(plan, term, count, add);
        const isDead = !ends && options.every((option) => option.after === null);
        here[count] = isDead ? null : this.#plain("array", ends, options);
      }
      later = here;
    }
    return later[0] ?? null;
  }

  #addItems(plan: ArrayPlan, term: Term, count: number, add: (term: Term, next: number) => void): void {
    const { contained } = plan;
    const split = splitItem(term, plan, this.#scope);
    if (contained === null || split === null) {
      add(term, count);
      return;
    }
    const enough = contained.max === null && count === contained.min;
    if (!enough) add(split.inside, count + 1);
    add(split.outside, count);
  }

  /** Returns the node with these options; one whose `after` is null comes back to the node itself. */
  #plain(
    kind: Node["kind"],
    ends: boolean,
    options: readonly (Omit<Option, "after"> & { readonly after: Node | null })[],
    skipped: Node | null = null,
  ): Node {
    const parts = options.map(({ key, term, after }) => {
      const name =
        typeof key === "object" && key !== null ? `#${this.#numberThing(key)}` : JSON.stringify(key);
      return `${name}:${this.#numberThing(term)}:${after?.id ?? "self"}`;
    });
    const signature = `${kind} ${ends} ${skipped?.id ?? ""} ${parts.join(" ")}`;
    const own: Option[] = [];
    const node = this.#intern(signature, { kind, ends, options: own, skipped, whole: null, marked: false });
    if (own.length === 0 && node.options === own)
      for (const option of options) own.push({ ...option, after: option.after ?? node });
    return node;
  }

  #intern(signature: string, made: Omit<Node, "id">): Node {
    spend(2);
    const known = this.#known.get(signature);
    if (known !== undefined) return known;
    const node = { ...made, id: this.#count++ };
    this.#known.set(signature, node);
    return node;
  }

  #numberThing(thing: object): number {
    const id = this.#ids.get(thing) ?? this.#ids.size;
    this.#ids.set(thing, id);
    return id;
  }
}

/** Returns whether every text of the second node is one of the first. False where it is not obvious. */
export function includes(wide: Node, narrow: Node, assumed = new Set<string>()): boolean {
  spend(1);
  if (wide === narrow) return true;
  const pair = `${wide.id} ${narrow.id}`;
  if (assumed.has(pair)) return true;
  if (wide.whole !== null || narrow.whole !== null || (narrow.ends && !wide.ends)) return false;
  if (wide.kind === "array" || assumed.size > 200) return false;
  assumed.add(pair);
  const [first] = narrow.options;
  if (first === undefined) return true;
  const same = wide.options.find(({ key, term }) => key === first.key && term === first.term);
  if (same === undefined) return wide.skipped !== null && includes(wide.skipped, narrow, assumed);
  if (narrow.options.length > 1 || wide.options.length > 1) return false;
  if (!includes(same.after, first.after, assumed)) return false;
  return (
    narrow.skipped === null || (wide.skipped !== null && includes(wide.skipped, narrow.skipped, assumed))
  );
}
