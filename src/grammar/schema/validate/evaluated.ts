/**
 * The property names and item indices of one value that successful subschemas have evaluated, for the
 * `unevaluated` keywords.
 */
export class EvaluatedParts {
  readonly names = new Set<string>();
  readonly items = new Set<number>();

  /** Adds the names and items of another set. */
  add(other: EvaluatedParts): void {
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
  }
}
