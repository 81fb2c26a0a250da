/** What built-in filters, tests, methods and functions may use of the rendering that calls them. */
import type { Meter } from "../meter.js";
import type { Arguments, Value } from "./values.js";

export interface Runtime {
  readonly meter: Meter;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  applyFilter(name: string, value: Value, args: Arguments): Value;
  applyTest(name: string, value: Value, args: Arguments): boolean;
  /** Returns `value[key]`, or the attribute of that name. */
  item(value: Value, key: Value): Value;
}

export type Filter = (runtime: Runtime, value: Value, args: Arguments) => Value;
export type Test = (runtime: Runtime, value: Value, args: Arguments) => boolean;
export type ValueMethod<Self> = (runtime: Runtime, self: Self, args: Arguments) => Value;
