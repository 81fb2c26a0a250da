/**
 * The normalised form of a JSON Schema: drafts 4 to 2020-12 in one shape, with every local reference resolved
 * to the node that it points to. It keeps all keywords that decide whether an instance is valid. read.ts
 * builds it, validate.ts validates instances against it, lower/ compiles it to a grammar. The graph can have
 * cycles, through `ref` only.
 */
import type { JsonNumber } from "../regular/number/decimal.js";

export type JsonValue =
  null | boolean | JsonNumber | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export interface SchemaNode {
  /** JSON Pointer (RFC 6901) of the subschema in the client's document, "" at the root. */
  readonly pointer: string;
  /** A boolean schema: true accepts everything, false nothing. No other keyword is present then. */
  readonly always?: boolean;
  /** The target of `$ref`. In drafts up to 7 its siblings are ignored, and absent here unless they are requested. */
  readonly ref?: SchemaNode;
  /** Whether the document's draft ignores the siblings of `ref` that are present here. No keyword of its own. */
  readonly refStandsAlone?: true;
  /** Absent: any type. */
  readonly types?: ReadonlySet<JsonType>;
  /** The values of `enum`. `const` is an enum with one value; both together become two nodes in `allOf`. */
  readonly values?: readonly JsonValue[];

  readonly minimum?: JsonNumber;
  readonly maximum?: JsonNumber;
  readonly exclusiveMinimum?: JsonNumber;
  readonly exclusiveMaximum?: JsonNumber;
  readonly multipleOf?: number;

  /** In Unicode code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The source of an ECMA-262 regular expression, unanchored. */
  readonly pattern?: string;
  /** A format that is enforced (see format.ts). Any other format is an annotation and absent here. */
  readonly format?: string;

  readonly prefixItems?: readonly SchemaNode[];
  /** The schema of the items after `prefixItems`; absent: any value. */
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly contains?: {
    readonly node: SchemaNode;
    readonly min: number;
    readonly max: number | null;
    /** Whether matching items count as evaluated; in 2019-09 they do not. */
    readonly evaluates: boolean;
  };
  readonly unevaluatedItems?: SchemaNode;

  /** In document order. */
  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly required?: ReadonlySet<string>;
  /** Absent when the document has no such keyword; the caller then chooses the default. */
  readonly additionalProperties?: SchemaNode;
  readonly patternProperties?: readonly { readonly pattern: string; readonly node: SchemaNode }[];
  readonly propertyNames?: SchemaNode;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: ReadonlyMap<string, SchemaNode>;
  readonly unevaluatedProperties?: SchemaNode;

  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
}
