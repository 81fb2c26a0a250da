/**
 * A schema that cannot be served, with the keyword and the place that made it so; the door turns it into a 400.
 */
export class SchemaRefusal extends Error {
  /** The keyword at fault, or null when it is the schema as a whole (its size, its depth). */
  readonly keyword: string | null;
  /** JSON pointer of the subschema in the client's document. */
  readonly pointer: string;

  /** @param message a sentence for the client: what is wrong, with numbers, and what would be accepted. */
  constructor(message: string, at: { readonly keyword: string | null; readonly pointer: string }) {
    super(message);
    this.name = "SchemaRefusal";
    this.keyword = at.keyword;
    this.pointer = at.pointer;
  }
}
