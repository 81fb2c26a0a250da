/**
 * The normalised form of a JSON Schema: drafts 4 to 2020-12 in one shape, every local reference resolved to the node that it
 * names, nothing lost that decides whether an instance is valid. read.ts makes it, validate.ts judges instances by it,
 * lower/ turns it into a grammar. Nodes may form cycles, through `ref` alone.
 */

export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export interface SchemaNode {
  /** JSON pointer of the subschema in the client's document (RFC 6901), "" at the root. */
  readonly pointer: string;
  /** A boolean schema: true accepts everything, false nothing. Then no other keyword is there. */
  readonly always?: boolean;
  /** The target of `$ref`; in drafts up to 7 its siblings are ignored, and so absent here. */
  readonly ref?: SchemaNode;
  /** Absent: any type. */
  readonly types?: ReadonlySet<JsonType>;
  /** `enum`; `const` is an enum of one, both together are two nodes in `allOf`. */
  readonly values?: readonly JsonValue[];

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  /** Counted in code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** ECMA-262 source, unanchored. */
  readonly pattern?: string;
  /** Only a format that formats.ts knows; every other is an annotation and absent. */
  readonly format?: string;

  readonly prefixItems?: readonly SchemaNode[];
  /** What follows `prefixItems`; absent: anything. */
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly contains?: {
    readonly node: SchemaNode;
    readonly min: number;
    readonly max: number | null;
    /** false in 2019-09: the items that it accepts are still unevaluated. Absent: they are evaluated. */
    readonly evaluates?: false;
  };
  readonly unevaluatedItems?: SchemaNode;

  /** In the order of the document. */
  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly required?: ReadonlySet<string>;
  /** Absent when the document says nothing: what that means is the reader's rule. */
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
