/**
 * Converts a JSON Schema to a GBNF grammar. The grammar is either exact, or allows a superset of the valid
 * values and names the keywords that a validator still has to check; a schema that supports neither is
 * rejected. schema/ reads the document, lower/ computes the allowed values and emits the rules.
 */
import { GrammarTooLarge, RuleSet } from "./gbnf.js";
import { emitTerms } from "./lower/emit.js";
import { createScope } from "./lower/languages.js";
import { findEmptyPlace } from "./lower/empty-place.js";
import { checkPaths } from "./lower/emit/paths.js";
import { planAll } from "./lower/plan/plans.js";
import { AutomatonTooLarge } from "./regular/automaton.js";
import { isObject, ownProperty } from "./schema/location.js";
import type { JsonValue, SchemaNode } from "./schema/node.js";
import { schemaReadings } from "./schema/read.js";
import { SchemaRefusal } from "./schema/refusal.js";
import { withStepLimit, type CostPlace } from "./work.js";

export interface Conversion {
  readonly grammar: string;
  /** Whether every text that the grammar generates is valid. */
  readonly exact: boolean;
  /** The keywords that the grammar does not fully enforce; the validator has to check them. */
  readonly checked: readonly { readonly keyword: string; readonly pointer: string }[];
  /** The schema as its draft defines it, for the validator. */
  readonly node: SchemaNode;
  readonly steps: number;
}

interface ConvertOptions {
  /**
   * Whether an object that declares properties but has no `additionalProperties` keyword may have undeclared
   * ones.
   */
  readonly additionalProperties: boolean;
  /** The prefix of all rule names. */
  readonly prefix?: string;
  /** Steps of work (work.ts) after which a conversion is rejected; absent: `conversionStepsMax`. */
  readonly stepsMax?: number;
}

/**
 * The steps of work that one conversion may take: about 0.5 s of CPU time (3,000 to 8,000 steps per millisecond on two shared cores).
 * The costliest real schemas that were measured take 3.3 million.
 */
export const conversionStepsMax = 3_500_000;

interface SchemaRules {
  readonly root: string;
  readonly exact: boolean;
  readonly checked: Conversion["checked"];
  readonly node: SchemaNode;
  /** The steps of work that the conversion took. */
  readonly steps: number;
}

/**
 * Converts a schema to a complete grammar. @throws SchemaRefusal, and nothing else, for a schema that is not
 * supported
 */
export function convertSchema(schema: unknown, options: ConvertOptions): Conversion {
  const rules = new RuleSet({ prefix: options.prefix ?? "r" });
  const { root, exact, checked, node, steps } = schemaRules(schema, options, rules);
  return { grammar: rules.text(root), exact, checked, node, steps };
}

/**
 * Adds the rules of a schema to an existing rule set. Returns the name of the rule for the whole value.
 * @throws SchemaRefusal
 */
export function schemaRules(schema: unknown, options: ConvertOptions, rules: RuleSet): SchemaRules {
  const readings = schemaReadings(schema);
  const standard = readings.at(-1) ?? readings[0];
  const { result, steps } = withStepLimit(options.stepsMax ?? conversionStepsMax, () => {
    let refusal: unknown = null;
    for (const node of readings) {
      try {
        return emitReading(node, schema, options, rules);
      } catch (thrown) {
        refusal = asRefusal(thrown);
        if (!(refusal instanceof SchemaRefusal)) throw refusal;
      }
    }
    throw refusal;
  });
  return { ...result, exact: result.checked.length === 0, node: standard, steps };
}

function emitReading(node: SchemaNode, schema: unknown, options: ConvertOptions, rules: RuleSet) {
  const closed = options.additionalProperties
    ? null
    : emitRules(node, rules, { closes: true, uris: listUris(schema) });
  const emitted =
    closed === null || "keyword" in closed ? emitRules(node, rules, { closes: false, uris: [] }) : closed;
  if ("keyword" in emitted) throw unsatisfiable(emitted);
  checkPaths(rules, emitted.root);
  return emitted;
}

/** Returns the URIs by which a document can name this schema in its own `$schema`: its draft, and its id. */
function listUris(schema: unknown): readonly string[] {
  const document = schema as JsonValue;
  if (!isObject(document) || typeof ownProperty(document, "$schema") !== "string") return [];
  const uris = ["$schema", "$id", "id"].map((keyword) => ownProperty(document, keyword));
  return [...new Set(uris.filter((uri) => typeof uri === "string"))];
}

/**
 * Emits the rules of a schema. Returns the place of what no value satisfies; the caller then retries without
 * closing the objects that have no `additionalProperties`.
 * @param objects.uris the values of the key `$schema` that the root object may have though it is closed
 */
function emitRules(
  node: SchemaNode,
  rules: RuleSet,
  objects: { readonly closes: boolean; readonly uris: readonly string[] },
) {
  const scope = createScope(node, objects.closes);
  const term = scope.terms.of(node);
  const { uris } = objects;
  const known = uris.length === 0 ? [] : [["$schema", { pointer: "/$schema", values: uris }] as const];
  const plans = planAll(term, scope, new Map(known.map(([key, value]) => [key, scope.terms.of(value)])));
  return plans.isProductive(term) ? emitTerms(term, plans, scope, rules) : findEmptyPlace(term, plans, scope);
}

/** Adds a rule that matches any JSON object and returns its name. */
export function anyJsonObject(rules: RuleSet): string {
  return schemaRules({ type: "object" }, { additionalProperties: true }, rules).root;
}

function unsatisfiable(place: CostPlace): SchemaRefusal {
  return new SchemaRefusal(
    "No value satisfies the schema; look for keywords that contradict each other, or for required properties " +
      "that are false or require themselves recursively.",
    place,
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
