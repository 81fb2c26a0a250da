/** The schema of a closed object whose members are required. */
export function obj(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
  more: object = { additionalProperties: false },
): object {
  return { type: "object", properties, required, ...more };
}

export const ref = { $ref: "#/$defs/e" };

export function binary(op: string): object {
  return obj({ left: ref, op: { const: op }, right: ref });
}

/** The schema of an array of exactly these items. */
export function tuple(items: readonly unknown[]): object {
  return { type: "array", prefixItems: items, items: false, minItems: items.length };
}

/** The schema of `e`, which refers to itself as `#/$defs/e`. */
export function recursive(e: object, defs: object = {}): object {
  return { $ref: "#/$defs/e", $defs: { e, ...defs } };
}
