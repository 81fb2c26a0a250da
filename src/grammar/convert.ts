/**
 * A JSON Schema as a GBNF grammar: exact, or a grammar for more than the schema with the keywords named that a validator has
 * to judge, or a refusal. It puts the parts together: schema/ reads, lower/ works out what is allowed, and writes it.
 */
import { GrammarTooLarge, RuleBook } from "./gbnf.js";
import { emitTerms } from "./lower/emit/emit.js";
import { createScope } from "./lower/languages.js";
import { checkPaths } from "./lower/emit/paths.js";
import { planAll } from "./lower/plan/plans.js";
import { AutomatonTooLarge } from "./regular/automaton.js";
import type { SchemaNode } from "./schema/node.js";
import { readSchema } from "./schema/read.js";
import { SchemaRefusal } from "./schema/refusal.js";

export interface Conversion {
  readonly grammar: string;
  /** Whether every text of the grammar is valid. */
  readonly exact: boolean;
  /** The keywords that the grammar allows more than: the validator judges them. */
  readonly checked: readonly { readonly keyword: string; readonly pointer: string }[];
  readonly node: SchemaNode;
}

export interface ConvertOptions {
  /** What the absence of `additionalProperties` means where properties are declared: false, none are generated. */
  readonly additionalProperties: boolean;
  /** Begins the names of the rules. */
  readonly prefix?: string;
}

export interface SchemaRules {
  readonly root: string;
  readonly exact: boolean;
  readonly checked: Conversion["checked"];
  readonly node: SchemaNode;
}

/** @throws SchemaRefusal, and nothing else, for a schema that cannot be served */
export function convertSchema(schema: unknown, options: ConvertOptions): Conversion {
  const rules = new RuleBook({ prefix: options.prefix ?? "r" });
  const { root, exact, checked, node } = schemaRules(schema, options, rules);
  return { grammar: rules.text(root), exact, checked, node };
}

/** The same among the rules of another grammar. @returns the rule of the whole value @throws SchemaRefusal */
export function schemaRules(schema: unknown, options: ConvertOptions, rules: RuleBook): SchemaRules {
  const node = readSchema(schema);
  try {
    const written =
      (options.additionalProperties ? null : rulesOf(node, true, rules)) ?? rulesOf(node, false, rules);
    if (written === null) throw unsatisfiable();
    checkPaths(rules, written.root);
    return { ...written, exact: written.checked.length === 0, node };
  } catch (thrown) {
    throw asRefusal(thrown);
  }
}

/** The rules of a schema, or null where nothing satisfies it: then absent additionalProperties must not close its objects. */
function rulesOf(
  node: SchemaNode,
  closes: boolean,
  rules: RuleBook,
): Pick<SchemaRules, "root" | "checked"> | null {
  const scope = createScope(node, closes);
  const term = scope.terms.of(node);
  const plans = planAll(term, scope);
  return plans.alive(term) ? emitTerms(term, plans, scope, rules) : null;
}

/** A rule for any JSON object. */
export function anyJsonObject(rules: RuleBook): string {
  return schemaRules({ type: "object" }, { additionalProperties: true }, rules).root;
}

function unsatisfiable(): SchemaRefusal {
  return new SchemaRefusal(
    "No value satisfies the schema; look for keywords that contradict each other, or for required properties " +
      "that are false or contain themselves without an end.",
    { keyword: null, pointer: "" },
  );
}

function asRefusal(thrown: unknown): unknown {
  if (thrown instanceof GrammarTooLarge)
    return new SchemaRefusal(
      `The schema makes a grammar that is too large (${thrown.message}); use fewer properties or alternatives.`,
      { keyword: null, pointer: "" },
    );
  if (thrown instanceof AutomatonTooLarge)
    return new SchemaRefusal(
      `The strings of the schema make an automaton that is too large (${thrown.message}); simplify its patterns.`,
      { keyword: "pattern", pointer: "" },
    );
  return thrown;
}
