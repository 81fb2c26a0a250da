/**
 * Writes the alternatives of a term together. Where objects or arrays begin alike, the engine would keep a position in each of them, and
 * these multiply with every level of a value that is nested in them. Here alternatives share their rules up to where they differ.
 */
import { AutomatonTooLarge } from "../../regular/automaton.js";
import { jsonText } from "../../schema/json-text.js";
import { isObject } from "../../schema/location.js";
import type { RuleSet } from "../../gbnf.js";
import type { JsonValue } from "../../schema/node.js";
import { attempt } from "../../work.js";
import type { Term } from "../language.js";
import { placeOfTerm } from "../place.js";
import type { ArrayPlan, ObjectPlan, TermPlan } from "../plan/plan.js";
import { innerTerms, type Plans } from "../plan/plans.js";
import type { GrammarScope } from "../scope.js";
import { Build, type Parts } from "./build.js";
import type { NodeContext } from "../emit/object.js";
import { Nodes, type Node } from "./nodes.js";
import { Reach } from "./reach.js";
import { States, TooManyStates, type State } from "./state.js";

/** Steps for one attempt to join the alternatives of one term. */
const joinStepsMax = 100_000;
/** How many levels of nested values each attempt writes out. */
const openedLevels = [6, 0];
/** The states of one grammar, and what an attempt that fails counts. */
const statesMax = 4_000;
const statesOfFailure = 1_300;
/** The bytes of rules after which no further alternatives are joined. */
const joinBytesMax = 150_000;

/** The alternatives of one term, joined. */
export interface Joined {
  readonly start: State;
  readonly states: readonly State[];
  /** Whether the alternatives allow more than the schema. */
  readonly isSuperset: boolean;
}

export class Joiner {
  readonly #plans: Plans;
  readonly #scope: GrammarScope;
  readonly #context: NodeContext;
  readonly #nodes: Nodes;
  readonly #reach: Reach;
  /** Plans of terms that no schema has, and nodes of those that are objects and arrays only. */
  readonly #made = new Map<string, Term>();
  readonly #planOfMade = new Map<Term, TermPlan>();
  readonly #bodies = new Map<Term, readonly Node[]>();
  readonly #rules: RuleSet;
  readonly #bytesMax: number;
  #statesLeft = statesMax;

  constructor(plans: Plans, scope: GrammarScope, context: NodeContext, rules: RuleSet) {
    this.#rules = rules;
    this.#bytesMax = rules.bytes + joinBytesMax;
    this.#plans = plans;
    this.#scope = scope;
    this.#context = context;
    this.#nodes = new Nodes(context, scope, (value) => this.#constant(value));
    this.#reach = new Reach(
      (term) => this.findPlan(term),
      (plan) =>
        innerTerms(plan, scope).filter((term) => this.#planOfMade.has(term) || plans.isProductive(term)),
    );
  }

  findPlan(term: Term): TermPlan {
    return this.#planOfMade.get(term) ?? this.#plans.of(term);
  }

  /** Returns the nodes of a term that consists of these only; undefined for all others. */
  listBody(term: Term): readonly Node[] | undefined {
    return this.#bodies.get(term);
  }

  /** Returns the different objects, or arrays, of a term. */
  listNodes(term: Term, kind: Node["kind"]): readonly Node[] {
    const { objects, arrays, pointer } = this.findPlan(term);
    const nodes =
      kind === "object"
        ? objects.filter(this.#plans.isProductiveObject).map((plan) => this.#nodes.ofObject(plan, pointer))
        : arrays.filter(this.#plans.isProductiveArray).map((plan) => this.#nodes.ofArray(plan));
    return [...new Set(nodes.filter((node) => node !== null))];
  }

  /** Returns whether alternatives of a term can be nested in it, or in each other. */
  multiplies(term: Term): boolean {
    if (!this.#reach.hasAlternatives(term)) return false;
    return innerTerms(this.findPlan(term), this.#scope)
      .filter((each) => this.#plans.isProductive(each))
      .some((each) => [...this.#reach.ofTerm(each)].some((below) => this.#reach.hasAlternatives(below)));
  }

  /** Returns plans of nodes. */
  listPlans(nodes: readonly Node[]): {
    readonly objects: readonly ObjectPlan[];
    readonly arrays: readonly ArrayPlan[];
  } {
    const plans = nodes.map((node) => this.#nodes.findPlan(node)).filter((plan) => plan !== undefined);
    return {
      objects: plans.filter((plan) => "entries" in plan),
      arrays: plans.filter((plan) => "prefix" in plan),
    };
  }

  /**
   * Joins objects or arrays. Nested values are written out where the alternatives differ in them only; where that is too much, the rules
   * allow more. Returns null where they need too many states all the same.
   */
  join(owner: Term, nodes: readonly Node[]): Joined | null {
    for (const openedMax of openedLevels) {
      if (this.#statesLeft <= 0 || this.#rules.bytes > this.#bytesMax) return null;
      const joined = this.#attempt(owner, nodes, openedMax);
      this.#statesLeft -= joined?.states.length ?? statesOfFailure;
      if (joined === null) continue;
      if (joined.isSuperset) this.#context.recordChecks([placeOfTerm(owner)]);
      return joined;
    }
    return null;
  }

  #attempt(owner: Term, nodes: readonly Node[], openedMax: number): Joined | null {
    const states = new States();
    try {
      return attempt(joinStepsMax, () => {
        const start = states.of(nodes.map((node) => ({ node, rest: null })));
        const build = new Build(this.#parts(owner, nodes), states, openedMax);
        for (const state of states.all) build.expand(state);
        return { start, states: states.all, isSuperset: build.isSuperset };
      });
    } catch (thrown) {
      if (thrown instanceof TooManyStates || thrown instanceof AutomatonTooLarge) return null;
      throw thrown;
    }
  }

  #parts(owner: Term, nodes: readonly Node[]): Parts {
    const own = new Set(nodes);
    return {
      scope: this.#scope,
      reach: this.#reach,
      findPlan: (term) => this.findPlan(term),
      listNodes: (term, kind) => [...this.listNodes(term, kind), ...this.#listed(term, kind)],
      body: (kind, body) => this.#body(owner, kind, body),
      scalars: (term) => this.#scalars(term),
      reachesOwner: (terms) => this.#hasAny(own, terms),
    };
  }

  /** Returns whether one of the terms has several alternatives, and one of these is among the nodes. */
  #hasAny(own: ReadonlySet<Node>, terms: ReadonlySet<Term>): boolean {
    return [...terms].some(
      (term) =>
        this.#reach.hasAlternatives(term) &&
        (["object", "array"] as const).some((kind) =>
          this.listNodes(term, kind).some((node) => own.has(node)),
        ),
    );
  }

  #listed(term: Term, kind: Node["kind"]): readonly Node[] {
    return this.findPlan(term)
      .values.filter((value) => isStructured(value, kind))
      .map((value) => this.#nodes.ofValue(value as readonly JsonValue[]));
  }

  #constant(value: JsonValue): Term {
    return this.#make(`= ${jsonText(value)}`, (term) =>
      this.#planOfMade.set(term, {
        values: [value],
        numbers: [],
        strings: [],
        arrays: [],
        objects: [],
        pointer: "",
      }),
    );
  }

  /** Returns the term of the values without members of a term; null if it has none. */
  #scalars(term: Term): Term | null {
    const plan = this.findPlan(term);
    const values = plan.values.filter(
      (value) => !isStructured(value, "object") && !isStructured(value, "array"),
    );
    if (values.length + plan.numbers.length + plan.strings.length === 0) return null;
    if (values.length === plan.values.length && plan.arrays.length + plan.objects.length === 0) return term;
    return this.#make(`scalars ${term.key}`, (made) =>
      this.#planOfMade.set(made, { ...plan, values, arrays: [], objects: [] }),
    );
  }

  #body(owner: Term, kind: Node["kind"], nodes: readonly Node[]): Term {
    const ids = nodes.map((node) => node.id).toSorted((a, b) => a - b);
    return this.#make(`${kind} ${ids.join(" ")}`, (term) => this.#bodies.set(term, nodes), owner.literals);
  }

  #make(key: string, register: (term: Term) => unknown, literals: Term["literals"] = []): Term {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const term: Term = { key, literals, never: false };
    this.#made.set(key, term);
    register(term);
    return term;
  }
}

function isStructured(value: JsonValue, kind: Node["kind"]): boolean {
  if (Array.isArray(value)) return kind === "array";
  return kind === "object" && isObject(value);
}
