/**
 * Thrown for a schema that is not supported, with the keyword and location at fault. The HTTP layer answers
 * with 400.
 */
export class SchemaRefusal extends Error {
  /** The keyword at fault, or null when the fault is in the schema as a whole (its size, its depth). */
  readonly keyword: string | null;
  /** JSON Pointer of the subschema in the client's document. */
  readonly pointer: string;

  /** @param message a sentence for the client: what is wrong, with numbers, and what would be accepted */
  constructor(message: string, at: { readonly keyword: string | null; readonly pointer: string }) {
    super(message);
    this.name = "SchemaRefusal";
    this.keyword = at.keyword;
    this.pointer = at.pointer;
  }
}
