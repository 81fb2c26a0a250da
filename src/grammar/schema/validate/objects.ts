import type { SchemaNode } from "../node.js";
import { pointerTo } from "../place.js";
import type { Evaluated } from "./evaluated.js";
import { problem, type Judge, type Problem, type Spot } from "./judge.js";
import { matches } from "./scalars.js";

/** The keywords of objects; `unevaluatedProperties` last, since all others evaluate before it. */
export function checkObject(
  node: SchemaNode,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  const { value } = spot;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = new Map<string, unknown>(Object.entries(value));
  return (
    checkPresence(node, entries, spot) ??
    checkEntries(node, entries, spot, evaluated, judge) ??
    checkDependents(node, entries, spot, evaluated, judge) ??
    checkUnevaluated(node, entries, spot, evaluated, judge)
  );
}

type Entries = ReadonlyMap<string, unknown>;

function checkPresence(node: SchemaNode, entries: Entries, spot: Spot): Problem | null {
  if (node.minProperties !== undefined && entries.size < node.minProperties)
    return problem("minProperties", node, spot, `must have at least ${node.minProperties} properties`);
  if (node.maxProperties !== undefined && entries.size > node.maxProperties)
    return problem("maxProperties", node, spot, `must have at most ${node.maxProperties} properties`);
  for (const name of node.required ?? [])
    if (!entries.has(name)) return problem("required", node, spot, `must have ${JSON.stringify(name)}`);
  for (const [name, others] of node.dependentRequired ?? []) {
    const missing = entries.has(name) ? others.find((other) => !entries.has(other)) : undefined;
    if (missing !== undefined)
      return problem(
        "dependentRequired",
        node,
        spot,
        `must have ${JSON.stringify(missing)} beside ${JSON.stringify(name)}`,
      );
  }
  return null;
}

function checkEntries(
  node: SchemaNode,
  entries: Entries,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  if (!looksAtEntries(node)) return null;
  for (const [name, value] of entries) {
    const at = { value, pointer: pointerTo(spot.pointer, name) };
    // No pointer to a value ends in a bare tilde, so the name has a place of its own.
    const asName = { value: name, pointer: `${at.pointer}~` };
    if (node.propertyNames !== undefined && judge.judge(node.propertyNames, asName, null) !== null)
      return problem("propertyNames", node, spot, `has the name ${JSON.stringify(name)}`);
    const schemas = schemasFor(node, name, spot, judge);
    for (const schema of schemas) {
      const found = judge.judge(schema, at, null);
      if (found !== null) return found;
    }
    if (schemas.length > 0) evaluated?.names.add(name);
  }
  return null;
}

function looksAtEntries(node: SchemaNode): boolean {
  return (
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    node.propertyNames !== undefined
  );
}

/** The schemas that a property's value has to match by its name. */
function schemasFor(node: SchemaNode, name: string, spot: Spot, judge: Judge): SchemaNode[] {
  const schemas: SchemaNode[] = [];
  const declared = node.properties?.get(name);
  if (declared !== undefined) schemas.push(declared);
  for (const { pattern, node: schema } of node.patternProperties ?? [])
    if (matches(pattern, name, spot, judge)) schemas.push(schema);
  if (schemas.length === 0 && node.additionalProperties !== undefined)
    schemas.push(node.additionalProperties);
  return schemas;
}

function checkDependents(
  node: SchemaNode,
  entries: Entries,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  for (const [name, schema] of node.dependentSchemas ?? []) {
    const found = entries.has(name) ? judge.judge(schema, spot, evaluated) : null;
    if (found !== null) return found;
  }
  return null;
}

function checkUnevaluated(
  node: SchemaNode,
  entries: Entries,
  spot: Spot,
  evaluated: Evaluated | null,
  judge: Judge,
): Problem | null {
  if (node.unevaluatedProperties === undefined || evaluated === null) return null;
  for (const [name, value] of entries) {
    if (evaluated.names.has(name)) continue;
    const at = { value, pointer: pointerTo(spot.pointer, name) };
    const found = judge.judge(node.unevaluatedProperties, at, null);
    if (found !== null) return found;
    evaluated.names.add(name);
  }
  return null;
}
