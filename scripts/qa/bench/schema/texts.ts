/**
 * Returns the texts of an instance that a grammar of its schema may generate: with keys in the order in which
 * the schema declares them, found through references and branches without knowledge of how the grammar was
 * built.
 */
import { ExactNumber } from "../../../../src/grammar/regular/number/decimal.js";
import { inPlaceSubschemas } from "../../../../src/grammar/schema/progress.js";
import type { SchemaNode } from "../../../../src/grammar/schema/node.js";
import { canonicalText } from "../../../../src/grammar/schema/validate/equality.js";
import type { Validator } from "../../../../src/grammar/schema/validate.js";

/**
 * In `closest`, one alternative applies to an object: where several do, the one that declares most of its keys. An undeclared `$schema`, by
 * which a document names its schema, comes first.
 */
const orders = ["own-first", "parts-first", "closest", "as-it-is", "backwards"] as const;
type Order = (typeof orders)[number];

/** Returns distinct texts, the most likely first. */
export function candidateTexts(node: SchemaNode, validator: Validator, instance: unknown): readonly string[] {
  const texts = new Set<string>();
  for (const order of orders) {
    const arranged =
      order === "as-it-is"
        ? instance
        : order === "backwards"
          ? backwards(instance)
          : arrange([node], instance, order, validator);
    texts.add(write(arranged, ",", ":"));
    texts.add(write(arranged, ", ", ": "));
  }
  return [...texts];
}

/** An object with its keys in order; JavaScript objects would put integer keys first. */
class Ordered {
  constructor(readonly entries: readonly (readonly [string, unknown])[]) {}
}

function arrange(nodes: readonly SchemaNode[], value: unknown, order: Order, validator: Validator): unknown {
  if (!isContainer(value)) return value;
  const all = closure(nodes, value, order, validator);
  const listed = all
    .flatMap((node) => node.values ?? [])
    .find((one) => canonicalText(one) === canonicalText(value));
  if (listed !== undefined) return listed;
  if (Array.isArray(value))
    return value.map((item, index) => arrange(itemNodes(all, index), item, order, validator));
  const declared = all.flatMap((node) => [...(node.properties?.keys() ?? [])]);
  const required = all.flatMap((node) => [...(node.required ?? [])]);
  const first = order === "closest" && !declared.includes("$schema") ? ["$schema"] : [];
  const patterned = Object.keys(value).filter((name) => all.some((node) => matchesSomePattern(node, name)));
  const names = new Set([...first, ...declared, ...required, ...patterned, ...Object.keys(value)]);
  const entries = new Map(Object.entries(value));
  return new Ordered(
    [...names]
      .filter((name) => entries.has(name))
      .map((name) => [name, arrange(memberNodes(all, name), entries.get(name), order, validator)]),
  );
}

/**
 * Reverses the order of keys, for cases that no declaration orders, such as a property after those that
 * depend on it.
 */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (!isContainer(value)) return value;
  const entries = Object.entries(value).reverse();
  return new Ordered(entries.map(([key, item]) => [key, backwards(item)]));
}

/** Returns all nodes that apply to the value, each once. */
function closure(
  nodes: readonly SchemaNode[],
  value: unknown,
  order: Order,
  validator: Validator,
): readonly SchemaNode[] {
  const found = new Set<SchemaNode>();
  const visit = (node: SchemaNode): void => {
    if (found.has(node)) return;
    const inner = inPlaceSubschemas(node).filter(({ keyword }) => keyword !== "not");
    const applying = inner.filter(
      (edge) => !["anyOf", "oneOf", "if"].includes(edge.keyword) || validator(value, edge.node) === null,
    );
    const chosen = order === "closest" ? withoutFarther(applying, value, validator) : applying;
    if (order !== "parts-first") found.add(node);
    for (const edge of chosen) visit(edge.node);
    found.add(node);
  };
  nodes.forEach(visit);
  return [...found];
}

type Subschema = ReturnType<typeof inPlaceSubschemas>[number];

/** Keeps one alternative of each keyword: the first of those with the fewest keys that it does not declare. */
function withoutFarther(
  edges: readonly Subschema[],
  value: unknown,
  validator: Validator,
): readonly Subschema[] {
  return ["anyOf", "oneOf"].reduce<readonly Subschema[]>((kept, keyword) => {
    const alternatives = kept.filter((edge) => edge.keyword === keyword);
    if (alternatives.length < 2) return kept;
    const distances = alternatives.map(({ node }) => countUndeclared(node, value, validator));
    const closest = alternatives[distances.indexOf(Math.min(...distances))];
    return kept.filter((edge) => edge.keyword !== keyword || edge === closest);
  }, edges);
}

function countUndeclared(node: SchemaNode, value: unknown, validator: Validator): number {
  if (!isContainer(value) || Array.isArray(value)) return 0;
  const all = closure([node], value, "own-first", validator);
  return Object.keys(value).filter((key) => !all.some(({ properties }) => properties?.has(key))).length;
}

function itemNodes(nodes: readonly SchemaNode[], index: number): SchemaNode[] {
  return nodes.flatMap((node) => {
    const schema = node.prefixItems?.[index] ?? node.items ?? node.unevaluatedItems;
    return [schema, node.contains?.node].filter((inner) => inner !== undefined);
  });
}

function memberNodes(nodes: readonly SchemaNode[], name: string): SchemaNode[] {
  return nodes.flatMap((node) => {
    const declared = node.properties?.get(name);
    const patterned = (node.patternProperties ?? [])
      .filter(({ pattern }) => matchesPattern(pattern, name))
      .map((entry) => entry.node);
    if (declared !== undefined) return [declared, ...patterned];
    if (patterned.length > 0) return patterned;
    return [node.additionalProperties, node.unevaluatedProperties].filter((inner) => inner !== undefined);
  });
}

function matchesSomePattern(node: SchemaNode, name: string): boolean {
  return (node.patternProperties ?? []).some(({ pattern }) => matchesPattern(pattern, name));
}

/** Returns whether a value is an array or an object; a number with many digits is neither. */
function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function matchesPattern(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

function write(value: unknown, comma: string, colon: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, comma, colon)).join(comma)}]`;
  if (!isContainer(value)) return value instanceof ExactNumber ? value.toString() : JSON.stringify(value);
  const entries = value instanceof Ordered ? value.entries : Object.entries(value);
  const members = entries.map(([key, item]) => `${JSON.stringify(key)}${colon}${write(item, comma, colon)}`);
  return `{${members.join(comma)}}`;
}
