/** The functions that every template knows. */
import { bound } from "../values/arguments.js";
import type { Runtime } from "../values/runtime.js";
import { toText } from "../values/text.js";
import {
  Callable,
  Dictionary,
  toInteger,
  listItems,
  Namespace,
  TemplateError,
  View,
  type Arguments,
  type Value,
} from "../values/values.js";
import { strftime } from "./strftime.js";

type GlobalFunction = (runtime: Runtime, args: Arguments) => Value;

const functions: Readonly<Record<string, GlobalFunction>> = {
  range,
  namespace,
  cycler,
  joiner,
  dict: (runtime, args) => new Dictionary(readEntries(runtime, "dict", args)),
  raise_exception({ meter }, args) {
    const [message = ""] = bound("raise_exception", ["message!"], args);
    throw new TemplateError(toText(message, meter));
  },
  strftime_now({ meter, nowMs }, args) {
    const [format = ""] = bound("strftime_now", ["format!"], args);
    return strftime(new Date(nowMs()), toText(format, meter));
  },
};

/** Returns the global names of one rendering. */
export function globals(runtime: Runtime): ReadonlyMap<string, Value> {
  return new Map(
    Object.entries(functions).map(([name, call]) => [
      name,
      new Callable(name, (args) => call(runtime, args)),
    ]),
  );
}

function range({ meter }: Runtime, args: Arguments): Value {
  const given = bound("range", ["start!", "stop", "step"], args).map((value) =>
    value === undefined ? undefined : toInteger(value),
  );
  const [first = 0, second, step = 1] = given;
  if (step === 0) throw new TemplateError("range() step must not be zero");
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  meter.countSteps(count);
  const items = Array.from({ length: count }, (_, index) => start + index * step);
  return new View(items, "range", `range(${start}, ${stop}${step === 1 ? "" : `, ${step}`})`);
}

function namespace(runtime: Runtime, args: Arguments): Value {
  const created = new Namespace();
  for (const [key, value] of readEntries(runtime, "namespace", args))
    created.values.set(toText(key, runtime.meter), value);
  return created;
}

/** Returns the entries of a dictionary or of a list of pairs, and the named arguments. */
function readEntries(
  { meter }: Runtime,
  name: string,
  { positional, named }: Arguments,
): readonly (readonly [Value, Value])[] {
  if (positional.length > 1)
    throw new TemplateError(`${name} expected at most 1 argument, got ${positional.length}`);
  const [source = null] = positional;
  const entries: (readonly [Value, Value])[] = [];
  if (source instanceof Dictionary) entries.push(...source.entries());
  else if (positional.length === 1)
    for (const pair of listItems(source, meter)) {
      const [key, value, ...more] = listItems(pair, meter);
      if (key === undefined || value === undefined || more.length > 0)
        throw new TemplateError(`${name}: an item is not a pair of a key and a value`);
      entries.push([key, value]);
    }
  return [...entries, ...named];
}

function cycler(_: Runtime, { positional }: Arguments): Value {
  if (positional.length === 0) throw new TemplateError("at least one item has to be provided");
  let at = 0;
  const current = (): Value => positional[at] ?? null;
  const methods: Readonly<Record<string, () => Value>> = {
    next() {
      const value = current();
      at = (at + 1) % positional.length;
      return value;
    },
    reset() {
      at = 0;
      return null;
    },
  };
  return new Callable(
    "cycler",
    () => {
      throw new TemplateError("'Cycler' object is not callable");
    },
    (name) => {
      if (name === "current") return current();
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      return method && new Callable(name, method);
    },
  );
}

function joiner(_: Runtime, args: Arguments): Value {
  const [separator = ", "] = bound("joiner", ["sep"], args);
  let isFirst = true;
  return new Callable("joiner", () => {
    if (!isFirst) return separator;
    isFirst = false;
    return "";
  });
}
