import { ExactNumber } from "../../regular/number/decimal.js";
import type { SchemaNode } from "../node.js";
import { pointerTo } from "../location.js";
import type { EvaluatedParts } from "./evaluated.js";
import { problem, type Evaluator, type Problem, type InstanceLocation } from "./evaluator.js";
import { matches } from "./scalars.js";

/** Checks the keywords of objects. `unevaluatedProperties` comes last because it depends on all others. */
export function checkObject(
  node: SchemaNode,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  const { value } = location;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  if (value instanceof ExactNumber) return null;
  const entries = new Map<string, unknown>(Object.entries(value));
  return (
    checkPresence(node, entries, location) ??
    checkEntries(node, entries, location, evaluated, evaluator) ??
    checkDependents(node, entries, location, evaluated, evaluator) ??
    checkUnevaluated(node, entries, location, evaluated, evaluator)
  );
}

type Entries = ReadonlyMap<string, unknown>;

function checkPresence(node: SchemaNode, entries: Entries, location: InstanceLocation): Problem | null {
  if (node.minProperties !== undefined && entries.size < node.minProperties)
    return problem("minProperties", node, location, `must have at least ${node.minProperties} properties`);
  if (node.maxProperties !== undefined && entries.size > node.maxProperties)
    return problem("maxProperties", node, location, `must have at most ${node.maxProperties} properties`);
  for (const name of node.required ?? [])
    if (!entries.has(name)) return problem("required", node, location, `must have ${JSON.stringify(name)}`);
  for (const [name, others] of node.dependentRequired ?? []) {
    const missing = entries.has(name) ? others.find((other) => !entries.has(other)) : undefined;
    if (missing !== undefined)
      return problem(
        "dependentRequired",
        node,
        location,
        `must have ${JSON.stringify(missing)} together with ${JSON.stringify(name)}`,
      );
  }
  return null;
}

function checkEntries(
  node: SchemaNode,
  entries: Entries,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (!constrainsEntries(node)) return null;
  for (const [name, value] of entries) {
    const at = { value, pointer: pointerTo(location.pointer, name) };
    // A JSON Pointer never ends in a bare tilde, so this pointer identifies the name instead of the value.
    const nameLocation = { value: name, pointer: `${at.pointer}~` };
    if (
      node.propertyNames !== undefined &&
      evaluator.evaluate(node.propertyNames, nameLocation, null) !== null
    )
      return problem("propertyNames", node, location, `must not have the name ${JSON.stringify(name)}`);
    const schemas = schemasFor(node, name, location, evaluator);
    for (const schema of schemas) {
      const found = evaluator.evaluate(schema, at, null);
      if (found !== null) return found;
    }
    if (schemas.length > 0) evaluated?.names.add(name);
  }
  return null;
}

function constrainsEntries(node: SchemaNode): boolean {
  return (
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    node.propertyNames !== undefined
  );
}

/** Returns the schemas that apply to a property's value because of its name. */
function schemasFor(
  node: SchemaNode,
  name: string,
  location: InstanceLocation,
  evaluator: Evaluator,
): SchemaNode[] {
  const schemas: SchemaNode[] = [];
  const declared = node.properties?.get(name);
  if (declared !== undefined) schemas.push(declared);
  for (const { pattern, node: schema } of node.patternProperties ?? [])
    if (matches(pattern, name, location, evaluator)) schemas.push(schema);
  if (schemas.length === 0 && node.additionalProperties !== undefined)
    schemas.push(node.additionalProperties);
  return schemas;
}

function checkDependents(
  node: SchemaNode,
  entries: Entries,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  for (const [name, schema] of node.dependentSchemas ?? []) {
    const found = entries.has(name) ? evaluator.evaluate(schema, location, evaluated) : null;
    if (found !== null) return found;
  }
  return null;
}

function checkUnevaluated(
  node: SchemaNode,
  entries: Entries,
  location: InstanceLocation,
  evaluated: EvaluatedParts | null,
  evaluator: Evaluator,
): Problem | null {
  if (node.unevaluatedProperties === undefined || evaluated === null) return null;
  for (const [name, value] of entries) {
    if (evaluated.names.has(name)) continue;
    const at = { value, pointer: pointerTo(location.pointer, name) };
    const found = evaluator.evaluate(node.unevaluatedProperties, at, null);
    if (found !== null) return found;
    evaluated.names.add(name);
  }
  return null;
}
