/** The properties and items of one value that passing schemas have looked at, for the `unevaluated` keywords. */
export class Evaluated {
  readonly names = new Set<string>();
  readonly items = new Set<number>();

  /** Takes over what another has. */
  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
  }
}
