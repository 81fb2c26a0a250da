/** What the targets about schemas share. */
import { createRequire } from "node:module";
import type AjvConstructor from "ajv/dist/2020.js";
import { convertSchema, type Conversion } from "../../../../src/grammar/convert.js";
import { SchemaRefusal } from "../../../../src/grammar/schema/refusal.js";
import { Chance } from "../../figures/chance.js";
import { parsed, listPaths, valueAt } from "../mutate/json.js";

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as {
  Ajv2020: typeof AjvConstructor.Ajv2020;
};

/** A fiftieth of what a server grants, so that each input is short. */
export const stepsMax = 70_000;

export interface SchemaInput {
  readonly schema: unknown;
  /** Whether objects are open, as a tool's parameters or the format of an answer have it. */
  readonly additionalProperties: boolean;
  readonly chance: Chance;
}

/** Returns the schema of an input with choices that depend on its bytes alone; null when it is no JSON. */
export function schemaInput(input: Uint8Array): SchemaInput | null {
  const schema = parsed(input);
  if (schema === undefined) return null;
  let hash = 0x811c9dc5;
  for (const byte of input) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const chance = new Chance(hash);
  return { schema, additionalProperties: chance.happens(0.5), chance };
}

/** Returns the conversion or the refusal; throws anything else that conversion throws. */
export function converted({ schema, additionalProperties }: SchemaInput): Conversion | SchemaRefusal {
  try {
    return convertSchema(schema, { additionalProperties, stepsMax });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return thrown;
    throw thrown;
  }
}

/** In these, ajv differs from the standard (as in names that are empty), or from this server by intention. */
const differing =
  /""|"(\$schema|\$id|id|\$anchor|\$dynamicRef|\$dynamicAnchor|\$recursiveRef|\$recursiveAnchor|\$vocabulary|\$async|nullable|discriminator|format|definitions|dependencies|unevaluated\w+|multipleOf|contains|pattern|patternProperties|additionalItems|__proto__)":/;

/** Returns whether a value is valid by another implementation of the standard (ajv). */
export type SchemaVerdict = (value: unknown) => boolean;

/** Returns null for a schema that ajv does not compile, or judges otherwise by intention. */
export function otherVerdict(schema: unknown): SchemaVerdict | null {
  if (differing.test(JSON.stringify(schema))) return null;
  try {
    const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false, validateSchema: true });
    const validator = ajv.compile(schema as boolean);
    return (value) => validator(value) === true;
  } catch {
    return null;
  }
}

const common: readonly unknown[] = [
  null,
  true,
  0,
  1,
  -1.5,
  1e3,
  "",
  "a",
  "ab",
  [],
  [1, "a"],
  {},
  { a: 1 },
  { a: "a", b: [] },
];

/** Returns values that a schema may be about: common ones, and the values in the document itself. */
export function valuesFor(schema: unknown): readonly unknown[] {
  const inside = listPaths(schema)
    .slice(0, 40)
    .map((path) => valueAt(schema, path));
  return [...common, ...inside];
}
