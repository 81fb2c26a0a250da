/** Writes joined alternatives as rules: one for what may come next in each state, and one for what may follow a value. */
import type { RuleSet } from "../../gbnf.js";
import { emitRaw, emitString } from "../../regular/emit.js";
import { emitArrayBody } from "../emit/array.js";
import { keyText, type EmitContext } from "../emit/object.js";
import { emitValues } from "../emit/values.js";
import { colonWhitespace, whitespaceRule } from "../emit/whitespace.js";
import type { GrammarScope } from "../scope.js";
import type { Term } from "../language.js";
import type { Joined } from "./joiner.js";
import type { Edge, JoinMember, State } from "./state.js";

/** Returns the text that matches an object or array of these alternatives, with its brackets. */
export function writeJoined(joined: Joined, context: EmitContext, scope: GrammarScope): string {
  const terms = joined.states.flatMap(({ members }) =>
    members.flatMap(({ edges }) => edges.map(({ value }) => value)),
  );
  const names = new Map<Term, string>();
  for (const value of terms)
    if (value.kind === "term" && !names.has(value.term)) names.set(value.term, context.rule(value.term));
  const writer = new Writer(names, context, scope);
  // What follows a state was mostly made after it, so that little is left for recursion.
  for (const state of joined.states.toReversed()) writer.listMembers(state);
  return writer.opened(joined.start);
}

class Writer {
  readonly #names: ReadonlyMap<Term, string>;
  readonly #context: EmitContext;
  readonly #scope: GrammarScope;
  readonly #rules: RuleSet;
  readonly #gap: string;
  readonly #next = new Map<State, string>();
  /** States whose rule is being written, with its name once another rule needs it. */
  readonly #open = new Map<State, string | null>();
  readonly #members = new Map<State, readonly string[]>();

  constructor(names: ReadonlyMap<Term, string>, context: EmitContext, scope: GrammarScope) {
    this.#names = names;
    this.#context = context;
    this.#scope = scope;
    this.#rules = context.rules;
    this.#gap = whitespaceRule(context.rules);
  }

  opened(state: State): string {
    const [open, close] = chooseBrackets(state);
    const alternatives = [...this.listMembers(state)];
    if (state.ends) alternatives.push(`"${close}" ${this.#after(state.closed)}`.trim());
    for (const { plan, next } of state.whole) {
      const body = emitArrayBody(plan, this.#context, this.#scope);
      if (body !== null) alternatives.push(`${body} ${this.#after(next)}`.trim());
    }
    const isMarked = state.items.every(({ node }) => node.marked);
    return `${isMarked ? this.#rules.uniqueItemsOpening() : `"${open}"`} ${this.#gap} ${this.#group(alternatives)}`;
  }

  /** Returns what follows after a value. */
  #after(state: State | null): string {
    if (state === null) return "";
    const known = this.#next.get(state) ?? this.#open.get(state);
    if (known != null) return known;
    if (known === null) {
      const name = this.#rules.reserve();
      this.#open.set(state, name);
      return name;
    }
    this.#open.set(state, null);
    const alternatives: string[] = [];
    const members = this.listMembers(state);
    if (members.length > 0) alternatives.push(`"," ${this.#gap} ${this.#group(members)}`);
    if (state.ends)
      alternatives.push(`${this.#gap} "${chooseBrackets(state)[1]}" ${this.#after(state.closed)}`.trim());
    const text = alternatives.join(" | ");
    const reserved = this.#open.get(state) ?? null;
    this.#open.delete(state);
    if (reserved !== null) this.#rules.define(reserved, text);
    const name = reserved ?? this.#rules.add(text);
    this.#next.set(state, name);
    return name;
  }

  /** Returns the members or items of which one must come next. */
  listMembers(state: State): readonly string[] {
    const known = this.#members.get(state);
    if (known !== undefined) return known;
    const own = state.members.map((member) => this.#member(member));
    const later = state.later === null ? [] : this.listMembers(state.later);
    const all = later.length < 2 ? [...own, ...later] : [...own, this.#rules.add(later.join(" | "))];
    this.#members.set(state, all);
    return all;
  }

  #member({ key, edges }: JoinMember): string {
    const value = this.#group(edges.map((edge) => this.#edge(edge)));
    if (key === null) return value;
    return `${keyText(key, this.#rules)} ":" ${colonWhitespace} ${value}`;
  }

  #edge({ value, next }: Edge): string {
    switch (value.kind) {
      case "term":
        return `${this.#names.get(value.term) ?? ""} ${this.#after(next)}`.trim();
      case "open":
        return this.#rules.add(this.opened(value.state));
      case "values":
        return `${emitValues(value.values, this.#rules)} ${this.#after(next)}`.trim();
      case "strings":
      case "numbers": {
        this.#context.recordChecks(value.checks);
        const { automaton } = value;
        const name =
          value.kind === "numbers"
            ? emitRaw(automaton, this.#rules)
            : emitString({ automaton, minLength: 0, maxLength: null }, this.#rules);
        return `${name} ${this.#after(next)}`.trim();
      }
    }
  }

  #group(alternatives: readonly string[]): string {
    const [only, ...more] = new Set(alternatives);
    return more.length === 0 ? (only ?? "") : this.#rules.add([only, ...more].join(" | "));
  }
}

function chooseBrackets({ items: [item] }: State): readonly [string, string] {
  return item?.node.kind === "array" ? ["[", "]"] : ["{", "}"];
}
