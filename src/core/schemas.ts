import type { GrammarSyntax } from "./generation.js";

/** A compiled JSON Schema, or a grammar that a client has written: rules that constrain the engine's output, and a validator. */
export interface CompiledSchema {
  /** GBNF right-hand sides by name; the names of two schemas never collide. */
  readonly rules: ReadonlyMap<string, string>;
  /** The rule of the whole value. */
  readonly root: string;
  /** Whether every text that the rules allow is valid. */
  readonly exact: boolean;
  /** Validates a text. @returns a sentence that says what is wrong; null when it is what the schema or the grammar allows. */
  check(text: string): Promise<string | null>;
}

/** Where a schema comes from. */
export interface SchemaOrigin {
  /** The field of the request, for the error. */
  readonly param: string;
  readonly teamId: string;
  /** The JSON text of the schema, if it may have numbers that the value does not keep. */
  readonly text?: string;
}

/** The port to the compiler of JSON Schemas. */
export interface Schemas {
  /**
   * Compiles a schema; the teams that have schemas to compile take turns.
   * @throws HearthError `invalid_value` naming the keyword and its path when the schema is not supported.
   */
  compile(schema: unknown, from: SchemaOrigin): Promise<CompiledSchema>;
  /** Reads a grammar. @throws HearthError `invalid_value` that says what of it is not supported. */
  readGrammar(syntax: GrammarSyntax, grammar: string, from: SchemaOrigin): Promise<CompiledSchema>;
  close(): Promise<void>;
}
