/**
 * Converts a JSON Schema to a GBNF grammar. The grammar is either exact, or allows a superset of the valid
 * values and names the keywords that a validator still has to check; a schema that supports neither is
 * rejected. schema/ reads the document, lower/ computes the allowed values and emits the rules.
 */
import { GrammarTooLarge, RuleSet } from "./gbnf.js";
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
  /** Whether every text that the grammar generates is valid. */
  readonly exact: boolean;
  /** The keywords that the grammar does not fully enforce; the validator has to check them. */
  readonly checked: readonly { readonly keyword: string; readonly pointer: string }[];
  readonly node: SchemaNode;
}

export interface ConvertOptions {
  /**
   * Whether an object that declares properties but has no `additionalProperties` keyword may have undeclared
   * ones.
   */
  readonly additionalProperties: boolean;
  /** The prefix of all rule names. */
  readonly prefix?: string;
}

export interface SchemaRules {
  readonly root: string;
  readonly exact: boolean;
  readonly checked: Conversion["checked"];
  readonly node: SchemaNode;
}

/**
 * Converts a schema to a complete grammar. @throws SchemaRefusal, and nothing else, for a schema that is not
 * supported
 */
export function convertSchema(schema: unknown, options: ConvertOptions): Conversion {
  const rules = new RuleSet({ prefix: options.prefix ?? "r" });
  const { root, exact, checked, node } = schemaRules(schema, options, rules);
  return { grammar: rules.text(root), exact, checked, node };
}

/**
 * Adds the rules of a schema to an existing rule set. Returns the name of the rule for the whole value.
 * @throws SchemaRefusal
 */
export function schemaRules(schema: unknown, options: ConvertOptions, rules: RuleSet): SchemaRules {
  const node = readSchema(schema);
  try {
    const emitted =
      (options.additionalProperties ? null : rulesOf(node, true, rules)) ?? rulesOf(node, false, rules);
    if (emitted === null) throw unsatisfiable();
    checkPaths(rules, emitted.root);
    return { ...emitted, exact: emitted.checked.length === 0, node };
  } catch (thrown) {
    throw asRefusal(thrown);
  }
}

/**
 * Emits the rules of a schema. Returns null when no value satisfies it; the caller then retries without
 * closing the objects that have no `additionalProperties`.
 */
function rulesOf(
  node: SchemaNode,
  closesObjects: boolean,
  rules: RuleSet,
): Pick<SchemaRules, "root" | "checked"> | null {
  const scope = createScope(node, closesObjects);
  const term = scope.terms.of(node);
  const plans = planAll(term, scope);
  return plans.isProductive(term) ? emitTerms(term, plans, scope, rules) : null;
}

/** Adds a rule that matches any JSON object and returns its name. */
export function anyJsonObject(rules: RuleSet): string {
  return schemaRules({ type: "object" }, { additionalProperties: true }, rules).root;
}

function unsatisfiable(): SchemaRefusal {
  return new SchemaRefusal(
    "No value satisfies the schema; look for keywords that contradict each other, or for required properties " +
      "that are false or require themselves recursively.",
    { keyword: null, pointer: "" },
  );
}

function asRefusal(thrown: unknown): unknown {
  if (thrown instanceof GrammarTooLarge)
    return new SchemaRefusal(
      `The grammar of the schema is too large (${thrown.message}); use fewer properties or alternatives.`,
      { keyword: null, pointer: "" },
    );
  if (thrown instanceof AutomatonTooLarge)
    return new SchemaRefusal(
      `The automaton for the strings of the schema is too large (${thrown.message}); simplify its patterns.`,
      { keyword: "pattern", pointer: "" },
    );
  return thrown;
}
