/** Evaluates expressions. */
import { filters } from "../library/filters.js";
import { tests } from "../library/tests.js";
import type { Meter } from "../meter.js";
import type { CallArguments, JinjaExpression, SliceExpression } from "../syntax/nodes.js";
import type { Runtime } from "../values/runtime.js";
import { toText } from "../values/text.js";
import {
  Callable,
  defined,
  Dictionary,
  Float,
  isTruthy,
  listItems,
  List,
  toNumber,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  type Arguments,
  type Value,
  splitCharacters,
  Group,
  toInteger,
  isHashable,
  isSimple,
  Namespace,
  orElse,
  Sequence,
} from "../values/values.js";
import { applyOperator, compared } from "./operators.js";
import type { VariableScope } from "./scope.js";
import { dictionaryMethods, listMethods, numberMethods } from "../library/methods-collections.js";
import { textMethods } from "../library/methods-text.js";

export class TemplateEvaluator implements Runtime {
  constructor(
    readonly meter: Meter,
    readonly nowMs: () => number,
  ) {}

  applyFilter(name: string, value: Value, args: Arguments): Value {
    const filter = filters.get(name);
    if (filter === undefined) throw new TemplateError(`No filter named '${name}'.`);
    const result = filter(this, value, args);
    if (typeof result === "string") this.meter.checkText(result.length);
    return result;
  }

  applyTest(name: string, value: Value, args: Arguments): boolean {
    const test = tests.get(name);
    if (test === undefined) throw new TemplateError(`No test named '${name}'.`);
    return test(this, value, args);
  }

  item(value: Value, key: Value): Value {
    return readItem(this, value, key);
  }

  evaluate(expression: JinjaExpression, scope: VariableScope): Value {
    this.meter.countSteps(1);
    switch (expression.type) {
      case "literal":
        return expression.value;
      case "name":
        return scope.get(expression.name);
      case "list":
        return new List(this.#all(expression.items, scope));
      case "tuple":
        return new Tuple(this.#all(expression.items, scope));
      case "dictionary":
        return new Dictionary(
          expression.entries.map(([key, value]) => [this.evaluate(key, scope), this.evaluate(value, scope)]),
        );
      case "attribute":
        return readAttribute(this, this.evaluate(expression.object, scope), expression.name);
      case "item":
        return this.#item(this.evaluate(expression.object, scope), expression.key, scope);
      case "call":
        return this.call(
          this.evaluate(expression.callee, scope),
          this.evaluateArguments(expression.args, scope),
        );
      case "filter":
        return this.filtered(expression, null, scope);
      case "test":
        return this.applyTest(
          expression.name,
          this.evaluate(expression.operand, scope),
          this.evaluateArguments(expression.args, scope),
        );
      default:
        return this.#operation(expression, scope);
    }
  }

  #operation(expression: JinjaExpression, scope: VariableScope): Value {
    switch (expression.type) {
      case "not":
        return !isTruthy(this.evaluate(expression.operand, scope));
      case "negative":
      case "positive":
        return signed(expression.type, this.evaluate(expression.operand, scope));
      case "and": {
        const left = this.evaluate(expression.left, scope);
        return isTruthy(left) ? this.evaluate(expression.right, scope) : left;
      }
      case "or": {
        const left = this.evaluate(expression.left, scope);
        return isTruthy(left) ? left : this.evaluate(expression.right, scope);
      }
      case "binary": {
        const left = this.evaluate(expression.left, scope);
        return applyOperator(this, expression.operator, left, this.evaluate(expression.right, scope));
      }
      case "comparison":
        return this.#comparison(expression, scope);
      case "conditional":
        return this.#conditional(expression, scope);
      default:
        throw new TemplateError(`unexpected ${expression.type}`);
    }
  }

  #all(expressions: readonly JinjaExpression[], scope: VariableScope): Value[] {
    return expressions.map((item) => this.evaluate(item, scope));
  }

  #conditional(expression: JinjaExpression & { type: "conditional" }, scope: VariableScope): Value {
    const { condition, then, otherwise } = expression;
    if (isTruthy(this.evaluate(condition, scope))) return this.evaluate(then, scope);
    if (otherwise !== null) return this.evaluate(otherwise, scope);
    return new Undefined("the inline if-expression evaluated to false and no else section was defined.");
  }

  #comparison(expression: JinjaExpression & { type: "comparison" }, scope: VariableScope): boolean {
    let left = this.evaluate(expression.left, scope);
    return expression.others.every(({ operator, right }) => {
      const other = this.evaluate(right, scope);
      const isSo = compared(this, operator, left, other);
      left = other;
      return isSo;
    });
  }

  #item(object: Value, key: JinjaExpression | SliceExpression, scope: VariableScope): Value {
    if (key.type !== "slice") return readItem(this, object, this.evaluate(key, scope));
    const part = (expression: JinjaExpression | null): Value =>
      expression === null ? null : this.evaluate(expression, scope);
    return readSlice(this, defined(object), [part(key.start), part(key.stop), part(key.step)]);
  }

  /** @param inner the text of a block that the filter applies to, or null where it stands behind a value */
  filtered(
    expression: JinjaExpression & { type: "filter" },
    inner: string | null,
    scope: VariableScope,
  ): Value {
    const { operand, name, args } = expression;
    const value =
      operand === null
        ? (inner ?? "")
        : operand.type === "filter"
          ? this.filtered(operand, inner, scope)
          : this.evaluate(operand, scope);
    this.meter.countSteps(1);
    return this.applyFilter(name, value, this.evaluateArguments(args, scope));
  }

  call(callee: Value, args: Arguments): Value {
    if (!(callee instanceof Callable))
      throw new TemplateError(`'${typeName(defined(callee))}' object is not callable`);
    const result = callee.call(args);
    if (typeof result === "string") this.meter.checkText(result.length);
    return result;
  }

  evaluateArguments(args: CallArguments, scope: VariableScope): Arguments {
    const positional = this.#all(args.positional, scope);
    const named = new Map<string, Value>();
    for (const [name, value] of args.named) named.set(name, this.evaluate(value, scope));
    if (args.items !== null)
      for (const item of listItems(this.evaluate(args.items, scope), this.meter)) positional.push(item);
    if (args.mapping !== null) {
      const mapping = this.evaluate(args.mapping, scope);
      if (!(mapping instanceof Dictionary))
        throw new TemplateError(`argument after ** must be a mapping, not ${typeName(mapping)}`);
      for (const [key, value] of mapping.entries()) named.set(toText(key, this.meter), value);
    }
    return { positional, named };
  }
}

function signed(sign: "negative" | "positive", value: Value): Value {
  const number = toNumber(defined(value));
  if (number === null)
    throw new TemplateError(
      `bad operand type for unary ${sign === "negative" ? "-" : "+"}: '${typeName(value)}'`,
    );
  const result = sign === "negative" ? -number : number;
  return value instanceof Float ? new Float(result) : result + 0;
}

// Attributes, items and slices of values.

/** Returns `value.name`: a method before a key of the same name. @throws TemplateError for a value that is not there */
function readAttribute(runtime: Runtime, value: Value, name: string): Value {
  return orElse(ownAttribute(runtime, value, name), () =>
    orElse(findKey(value, name), () => missing(value, name)),
  );
}

/** Returns `value[key]`: a key before a method of the same name. @throws TemplateError for a value that is not there */
function readItem(runtime: Runtime, value: Value, key: Value): Value {
  if (value instanceof Dictionary || value instanceof Undefined) {
    const found = findKey(value, key);
    if (found !== undefined) return found;
  } else if (typeof key === "number" || typeof key === "boolean") return atIndex(value, toInteger(key));
  if (typeof key === "string") return orElse(ownAttribute(runtime, value, key), () => missing(value, key));
  return missing(value, typeof key === "number" ? String(key) : typeName(key));
}

function findKey(value: Value, key: Value): Value | undefined {
  if (value instanceof Undefined) throw new TemplateError(value.reason);
  // Jinja looks a key up that no dictionary can have, and finds nothing.
  return value instanceof Dictionary && isHashable(key) ? value.get(key) : undefined;
}

function ownAttribute(runtime: Runtime, value: Value, name: string): Value | undefined {
  if (value instanceof Namespace) return value.values.get(name);
  if (value instanceof Callable) return value.attribute(name);
  if (value instanceof Group && (name === "grouper" || name === "list")) return value[name];
  const method = findMethod(runtime, value, name);
  return method === undefined
    ? undefined
    : new Callable(name, method, undefined, () => `<built-in method ${name}>`);
}

function findMethod(runtime: Runtime, value: Value, name: string): ((args: Arguments) => Value) | undefined {
  if (typeof value === "string") {
    const method = textMethods.get(name);
    return method && ((args) => method(runtime, value, args));
  }
  if (value instanceof Dictionary) {
    const method = dictionaryMethods.get(name);
    return method && ((args) => method(runtime, value, args));
  }
  if (value instanceof Sequence) {
    const isKnown =
      value instanceof List || (value instanceof Tuple && (name === "count" || name === "index"));
    const method = isKnown ? listMethods.get(name) : undefined;
    return method && ((args) => method(runtime, value, args));
  }
  if (typeof value !== "number" && typeof value !== "boolean" && !(value instanceof Float)) return undefined;
  const method = numberMethods.get(name);
  return method && ((args) => method(runtime, value, args));
}

function atIndex(value: Value, index: number): Value {
  if (typeof value === "string") {
    const characters = isSimple(value) ? value : splitCharacters(value);
    return characters.at(index) ?? missing(value, String(index));
  }
  if (value instanceof Sequence) return orElse(value.items.at(index), () => missing(value, String(index)));
  return missing(value, String(index));
}

function missing(value: Value, name: string): Undefined {
  const owner = value === null ? "'None'" : `'${typeName(value)} object'`;
  return new Undefined(`${owner} has no attribute '${name}'`);
}

/** Returns a part of a text or a list, with the rules of Python. */
function readSlice(
  runtime: Runtime,
  value: Value,
  [start, stop, step]: readonly [Value, Value, Value],
): Value {
  if (typeof value === "string") {
    runtime.meter.countReading(value);
    const by = step === null ? 1 : toInteger(step);
    if (by === 1 && isSimple(value)) return value.slice(bound(start), bound(stop));
    return taken(splitCharacters(value), [start, stop, step]).join("");
  }
  if (!(value instanceof Sequence)) return missing(value, "slice");
  runtime.meter.countSteps(value.items.length);
  const items = taken(value.items, [start, stop, step]);
  return value instanceof Tuple ? new Tuple(items) : new List(items);
}

function bound(value: Value): number | undefined {
  return value === null ? undefined : toInteger(value);
}

function taken<Item>(items: readonly Item[], [start, stop, step]: readonly [Value, Value, Value]): Item[] {
  const by = step === null ? 1 : toInteger(step);
  if (by === 0) throw new TemplateError("slice step cannot be zero");
  const { length } = items;
  const [low, high] = by > 0 ? [0, length] : [-1, length - 1];
  const place = (value: Value, otherwise: number): number => {
    if (value === null) return otherwise;
    const index = toInteger(value);
    return Math.min(high, Math.max(low, index < 0 ? index + length : index));
  };
  const [from, to] = [place(start, by > 0 ? low : high), place(stop, by > 0 ? high : low)];
  const result: Item[] = [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) {
    const item = items[at];
    if (item !== undefined) result.push(item);
  }
  return result;
}
