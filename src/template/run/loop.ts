/** The variable `loop` of a loop. */
import { isEqual } from "../values/compare.js";
import type { Runtime } from "../values/runtime.js";
import { Callable, orElse, TemplateError, Tuple, Undefined, type Value } from "../values/values.js";

export class Loop {
  index0 = 0;
  #before: Value | undefined;
  readonly value: Callable;

  /** @param recurse renders the loop again with other items, where it is recursive */
  constructor(
    private readonly runtime: Runtime,
    private readonly items: readonly Value[],
    private readonly depth0: number,
    recurse: ((items: Value) => string) | null,
  ) {
    this.value = new Callable(
      "loop",
      ({ positional: [inner] }) => {
        if (recurse === null || inner === undefined)
          throw new TemplateError("The loop must have the 'recursive' marker to be called recursively.");
        return recurse(inner);
      },
      (name) => this.#attribute(name),
      () => `<LoopContext ${this.index0 + 1}/${items.length}>`,
    );
  }

  #attribute(name: string): Value | undefined {
    const { index0, depth0, items } = this;
    const { length } = items;
    const values: Readonly<Record<string, () => Value>> = {
      index: () => index0 + 1,
      index0: () => index0,
      revindex: () => length - index0,
      revindex0: () => length - index0 - 1,
      first: () => index0 === 0,
      last: () => index0 === length - 1,
      length: () => length,
      depth: () => depth0 + 1,
      depth0: () => depth0,
      previtem: () => orElse(items[index0 - 1], () => new Undefined("there is no previous item")),
      nextitem: () => orElse(items[index0 + 1], () => new Undefined("there is no next item")),
      cycle: () => new Callable("cycle", ({ positional }) => this.#cycle(positional)),
      changed: () => new Callable("changed", ({ positional }) => this.#changed(positional)),
    };
    return Object.hasOwn(values, name) ? values[name]?.() : undefined;
  }

  #cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw new TemplateError("no items for cycling given");
    return values[this.index0 % values.length] ?? null;
  }

  #changed(values: readonly Value[]): boolean {
    const now = new Tuple([...values]);
    const isSame = this.#before !== undefined && isEqual(this.#before, now, this.runtime.meter);
    this.#before = now;
    return !isSame;
  }
}
