/** The names that a part of a template knows. */
import { Undefined, type Value } from "../values/values.js";

export class VariableScope {
  readonly #values = new Map<string, Value>();

  constructor(private readonly parent: VariableScope | null = null) {}

  get(name: string): Value {
    let value = this.#values.get(name);
    for (let scope = this.parent; value === undefined && scope !== null; scope = scope.parent)
      value = scope.#values.get(name);
    if (value !== undefined) return value;
    return new Undefined(`'${name}' is undefined`);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
