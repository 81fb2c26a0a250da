/** What can be nested in the alternatives of one place: whether they would multiply the positions that the engine has to keep. */
import { spend } from "../../work.js";
import type { Term } from "../language.js";
import type { TermPlan } from "../plan/plan.js";
import type { Node } from "./nodes.js";
import type { State } from "./state.js";

export class Reach {
  readonly #findPlan: (term: Term) => TermPlan;
  readonly #listInner: (plan: TermPlan) => readonly Term[];
  readonly #terms = new Map<Term, ReadonlySet<Term>>();
  readonly #nodes = new Map<Node, ReadonlySet<Term>>();
  readonly #states = new Map<State, ReadonlySet<Term>>();
  readonly #inner = new Map<Term, readonly Term[]>();

  /** @param inner returns the terms of the members and items of a plan */
  constructor(findPlan: (term: Term) => TermPlan, inner: (plan: TermPlan) => readonly Term[]) {
    this.#findPlan = findPlan;
    this.#listInner = inner;
  }

  /** Returns the terms that the value of this term can contain, itself included. */
  ofTerm(term: Term): ReadonlySet<Term> {
    return memoized(this.#terms, term, () => this.#below([term]));
  }

  /** Returns the terms that may follow in this state. */
  ofState(state: State | null): ReadonlySet<Term> {
    if (state === null) return new Set();
    return memoized(this.#states, state, () => {
      const all = new Set<Term>();
      for (const { node, rest } of state.items)
        for (const terms of [this.ofNode(node), this.ofState(rest)]) for (const term of terms) all.add(term);
      spend(all.size);
      return all;
    });
  }

  ofNode(start: Node): ReadonlySet<Term> {
    return memoized(this.#nodes, start, () => {
      const terms = new Set<Term>();
      const nodes = new Set([start]);
      for (const node of nodes) {
        spend(1);
        for (const { term, after } of node.options) {
          terms.add(term);
          nodes.add(after);
        }
        if (node.skipped !== null) nodes.add(node.skipped);
      }
      return this.#below([...terms]);
    });
  }

  /** Whether a value of this term can be nested without a limit. */
  isRecursive(term: Term): boolean {
    return this.#innerTerms(term).some((next) => this.ofTerm(next).has(term));
  }

  /** Whether the term has several objects or arrays. */
  hasAlternatives(term: Term): boolean {
    const { objects, arrays } = this.#findPlan(term);
    return objects.length > 1 || arrays.length > 1 || arrays.some(({ contained }) => contained !== null);
  }

  #below(terms: readonly Term[]): ReadonlySet<Term> {
    const found = new Set(terms);
    for (const term of found) {
      spend(1);
      for (const next of this.#innerTerms(term)) found.add(next);
    }
    return found;
  }

  #innerTerms(term: Term): readonly Term[] {
    return memoized(this.#inner, term, () => this.#listInner(this.#findPlan(term)));
  }
}

function memoized<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = make();
  known.set(key, made);
  return made;
}
