/** A JSON Schema made ready: rules for the engine to write by, and a judge of what was written. */
export interface CompiledSchema {
  /** GBNF right-hand sides by name; the names of two schemas never meet. */
  readonly rules: ReadonlyMap<string, string>;
  /** The rule of the whole value. */
  readonly root: string;
  /** true: whatever the rules allow is valid. */
  readonly exact: boolean;
  /** @returns what is wrong with a text, in a sentence, or null when it is JSON that the schema allows. */
  check(text: string): Promise<string | null>;
}

/** The port to whatever turns JSON Schemas into rules. */
export interface Schemas {
  /**
   * @param param the request's field, for the error.
   * @throws HearthError `invalid_value` when the schema cannot be served, naming the keyword and the place.
   */
  compile(schema: unknown, param: string): Promise<CompiledSchema>;
  close(): Promise<void>;
}
