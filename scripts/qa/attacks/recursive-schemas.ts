/** Schemas whose alternatives differ only after a recursive member, nested so deep that an answer has to go all the way. */

const depth = 16;
const operators = ["+", "*", "-", "/"];

type Schema = Readonly<Record<string, unknown>>;

/** By how the alternatives are written. */
export const recursiveSchemas: Readonly<Record<string, Schema>> = {
  anyOf: nested("anyOf", closed),
  oneOf: nested("oneOf", closed),
  open: nested("anyOf", open),
  arrays: nested("anyOf", array),
  conditions: conditions(),
};

/** Returns a schema whose level n holds level n + 1 in its first member; the last one is an integer or the first. */
function nested(word: string, alternative: (operand: Schema, operator: string) => Schema): Schema {
  const definitions: Record<string, Schema> = {};
  for (let level = 0; level < depth; level += 1) {
    const next = { $ref: `#/$defs/e${level + 1}` };
    definitions[`e${level}`] = { [word]: operators.map((operator) => alternative(next, operator)) };
  }
  definitions[`e${depth}`] = { anyOf: [{ type: "integer" }, { $ref: "#/$defs/e0" }] };
  return wrap(definitions);
}

function wrap(definitions: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties: { expression: { $ref: "#/$defs/e0" } },
    required: ["expression"],
    additionalProperties: false,
    $defs: definitions,
  };
}

function open(left: Schema, operator: string): Schema {
  return {
    type: "object",
    properties: { left, operator: { const: operator }, right: { type: "integer" } },
    required: ["left", "operator", "right"],
  };
}

function closed(left: Schema, operator: string): Schema {
  return { ...open(left, operator), additionalProperties: false };
}

function array(left: Schema, operator: string): Schema {
  return {
    type: "array",
    prefixItems: [left, { const: operator }, { type: "integer" }],
    items: false,
    minItems: 3,
  };
}

function conditions(): Schema {
  const definitions: Record<string, Schema> = {};
  for (let level = 0; level < depth; level += 1)
    definitions[`e${level}`] = {
      type: "object",
      properties: {
        left: { $ref: `#/$defs/e${level + 1}` },
        operator: { enum: operators },
        right: { type: "integer" },
      },
      required: ["left", "operator"],
      additionalProperties: false,
      if: { properties: { operator: { const: "-" } } },
      then: {},
      else: { required: ["right"] },
    };
  definitions[`e${depth}`] = { type: "integer" };
  return wrap(definitions);
}
