import type { GrammarSyntax } from "../../../core/generation.js";

/** What a text must be: a JSON Schema as JSON text, a grammar in GBNF, or a regular expression. */
export interface WrittenSchema {
  readonly language: "schema" | GrammarSyntax;
  readonly written: string;
}

export type SchemaRequest =
  /** Converts a schema or a grammar to GBNF rules. */
  | (WrittenSchema & { readonly type: "convert"; readonly prefix: string; readonly closed: boolean })
  /** Validates a text against a schema or a grammar, which is cached under `key`. */
  | (WrittenSchema & { readonly type: "check"; readonly key: string; readonly text: string });

/** The GBNF rules of a schema. */
interface ConvertedSchema {
  readonly rules: ReadonlyMap<string, string>;
  readonly root: string;
  readonly exact: boolean;
}

/** Why a schema is not supported. */
export interface RefusedSchema {
  readonly type: "refused";
  readonly message: string;
  readonly keyword: string | null;
  readonly pointer: string;
}

export type ConvertOutcome =
  { readonly type: "converted"; readonly converted: ConvertedSchema } | RefusedSchema;

export type CheckOutcome =
  /** `problem` is null when the text is valid. */
  { readonly type: "checked"; readonly problem: string | null } | RefusedSchema;

/** Results by the type of the request. */
export interface SchemaReplies {
  readonly convert: ConvertOutcome;
  readonly check: CheckOutcome;
}

/** Returns a keyword and its place in the client's schema, for an error. @param pointer JSON Pointer of the subschema */
export function describePlace(keyword: string, pointer: string): string {
  return `'${keyword}' at '#${pointer}'`;
}
