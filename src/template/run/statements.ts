/** Runs the statements of a template. */
import type {
  CallStatement,
  JinjaExpression,
  ForStatement,
  JinjaStatement,
  Target,
  MacroParameter,
} from "../syntax/nodes.js";
import { toText } from "../values/text.js";
import {
  Callable,
  isTruthy,
  listItems,
  Namespace,
  TemplateError,
  type Value,
  orElse,
  Tuple,
  Undefined,
  Dictionary,
  type Arguments,
} from "../values/values.js";
import type { TemplateEvaluator } from "./expressions.js";
import { VariableScope } from "./scope.js";
import { isEqual } from "../values/compare.js";
import type { Runtime } from "../values/runtime.js";

/** How a list of statements ended: a loop was left or continued, or nothing. */
type Jump = "break" | "continue" | null;

export class Program {
  constructor(private readonly evaluator: TemplateEvaluator) {}

  /** Returns the text of the statements. */
  render(statements: readonly JinjaStatement[], scope: VariableScope): string {
    const output = new Output(this.evaluator);
    this.#run(statements, scope, output);
    return output.text;
  }

  #run(statements: readonly JinjaStatement[], scope: VariableScope, output: Output): Jump {
    for (const statement of statements) {
      const jump = this.#runOne(statement, scope, output);
      if (jump !== null) return jump;
    }
    return null;
  }

  #runOne(statement: JinjaStatement, scope: VariableScope, output: Output): Jump {
    const { evaluator } = this;
    evaluator.meter.countSteps(1);
    switch (statement.type) {
      case "text":
        output.add(statement.text);
        return null;
      case "output":
        output.add(toText(evaluator.evaluate(statement.value, scope), evaluator.meter));
        return null;
      case "if": {
        const branch = statement.branches.find(([condition]) =>
          isTruthy(evaluator.evaluate(condition, scope)),
        );
        return this.#run(branch?.[1] ?? statement.otherwise, scope, output);
      }
      case "for":
        return this.#for(statement, scope, output);
      case "macro":
        scope.set(statement.name, this.#macro(statement, scope));
        return null;
      case "call-block":
        output.add(toText(this.#callBlock(statement, scope), evaluator.meter));
        return null;
      case "with": {
        const inner = new VariableScope(scope);
        for (const [target, value] of statement.values)
          this.#assign(target, evaluator.evaluate(value, scope), inner);
        return this.#run(statement.body, inner, output);
      }
      case "break":
      case "continue":
        return statement.type;
      default:
        this.#setOrFilter(statement, scope, output);
        return null;
    }
  }

  #setOrFilter(
    statement: JinjaStatement & { type: "set" | "set-block" | "filter-block" },
    scope: VariableScope,
    output: Output,
  ): void {
    const { evaluator } = this;
    if (statement.type === "set")
      return this.#assign(statement.target, evaluator.evaluate(statement.value, scope), scope);
    const text = this.render(statement.body, new VariableScope(scope));
    const { filter } = statement;
    const value = filter === null ? text : evaluator.filtered(filter, text, scope);
    if (statement.type === "set-block") this.#assign(statement.target, value, scope);
    else output.add(toText(value, evaluator.meter));
  }

  #assign(target: Target, value: Value, scope: VariableScope): void {
    if (target.type === "name") return scope.set(target.name, value);
    if (target.type === "namespace") {
      const owner = scope.get(target.name);
      if (!(owner instanceof Namespace))
        throw new TemplateError("cannot assign attribute on non-namespace object");
      owner.values.set(target.attribute, value);
      return;
    }
    const items = listItems(value, this.evaluator.meter);
    const expected = target.targets.length;
    if (items.length < expected)
      throw new TemplateError(`not enough values to unpack (expected ${expected}, got ${items.length})`);
    if (items.length > expected) throw new TemplateError(`too many values to unpack (expected ${expected})`);
    for (const [at, inner] of target.targets.entries()) this.#assign(inner, items[at] ?? null, scope);
  }

  #for(statement: ForStatement, scope: VariableScope, output: Output): Jump {
    this.#loop(statement, this.evaluator.evaluate(statement.items, scope), scope, output, 0);
    return null;
  }

  #loop(statement: ForStatement, value: Value, scope: VariableScope, output: Output, depth: number): void {
    const items = this.#selected(statement, value, scope);
    if (items.length === 0) {
      this.#run(statement.otherwise, new VariableScope(scope), output);
      return;
    }
    const recurse = (inner: Value): string => {
      const text = new Output(this.evaluator);
      this.#loop(statement, inner, scope, text, depth + 1);
      return text.text;
    };
    const loop = new Loop(this.evaluator, items, depth, statement.isRecursive ? recurse : null);
    for (const [index, item] of items.entries()) {
      this.evaluator.meter.countSteps(1);
      const inner = new VariableScope(scope);
      loop.index0 = index;
      inner.set("loop", loop.value);
      this.#assign(statement.target, item, inner);
      if (this.#run(statement.body, inner, output) === "break") break;
    }
  }

  #selected({ target, condition }: ForStatement, value: Value, scope: VariableScope): readonly Value[] {
    // A copy: a template may append to the list that it goes through.
    const items = [...listItems(value, this.evaluator.meter)];
    if (condition === null) return items;
    return items.filter((item) => {
      const inner = new VariableScope(scope);
      this.#assign(target, item, inner);
      return isTruthy(this.evaluator.evaluate(condition, inner));
    });
  }

  #macro(source: MacroSource, scope: VariableScope): Callable {
    return new Callable(
      source.name ?? "caller",
      (args) => {
        const inner = new VariableScope(scope);
        const evaluateOr = (otherwise: JinjaExpression | null): Value | undefined =>
          otherwise === null ? undefined : this.evaluator.evaluate(otherwise, inner);
        bindParameters(source, args, inner, (parameter) => evaluateOr(parameter.otherwise));
        return this.render(source.body, inner);
      },
      (name) => (name === "name" ? source.name : undefined),
      () => `<Macro ${source.name === null ? "anonymous" : `'${source.name}'`}>`,
    );
  }

  #callBlock({ call, parameters, body }: CallStatement, scope: VariableScope): Value {
    const { evaluator } = this;
    const callee = evaluator.evaluate(call.callee, scope);
    const { positional, named } = evaluator.evaluateArguments(call.args, scope);
    const caller = this.#macro({ name: null, parameters, body }, scope);
    return evaluator.call(callee, { positional, named: new Map([...named, ["caller", caller]]) });
  }
}

/** The text of a template or of a part of it, as it grows. */
class Output {
  text = "";

  constructor(private readonly evaluator: TemplateEvaluator) {}

  /** @throws BudgetExceeded */
  add(text: string): void {
    this.text += text;
    this.evaluator.meter.checkText(this.text.length);
  }
}

class Loop {
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

type Special = "varargs" | "kwargs" | "caller";
const specials: ReadonlySet<string> = new Set<Special>(["varargs", "kwargs", "caller"]);

interface MacroSource {
  readonly name: string | null;
  readonly parameters: readonly MacroParameter[];
  readonly body: readonly JinjaStatement[];
}

const known = new WeakMap<readonly JinjaStatement[], ReadonlySet<string>>();

/** Returns which of the special names a body uses. */
function usedSpecials(body: readonly JinjaStatement[]): ReadonlySet<string> {
  const before = known.get(body);
  if (before !== undefined) return before;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "name" && "name" in node && specials.has(String(node.name)))
      used.add(String(node.name));
    Object.values(node).forEach(visit);
  };
  visit(body);
  known.set(body, used);
  return used;
}

/**
 * Sets the parameters of a macro in the scope of a call.
 * @param evaluateDefault evaluates the default of a parameter in that scope
 */
function bindParameters(
  { name, parameters, body }: MacroSource,
  { positional, named }: Arguments,
  scope: VariableScope,
  evaluateDefault: (parameter: MacroParameter) => Value | undefined,
): void {
  const used = usedSpecials(body);
  const rest = new Map(named);
  for (const [at, parameter] of parameters.entries()) {
    const isNamed = at >= positional.length && rest.has(parameter.name);
    const given = isNamed ? rest.get(parameter.name) : positional[at];
    if (isNamed) rest.delete(parameter.name);
    const missing = new Undefined(`parameter '${parameter.name}' was not provided`);
    scope.set(
      parameter.name,
      orElse(given, () => orElse(evaluateDefault(parameter), () => missing)),
    );
  }
  const label = `macro ${name === null ? "None" : `'${name}'`}`;
  const isOwn = parameters.some((parameter) => parameter.name === "caller");
  if (used.has("caller") && !isOwn) {
    scope.set(
      "caller",
      orElse(rest.get("caller"), () => new Undefined("No caller defined")),
    );
    rest.delete("caller");
  }
  if (used.has("kwargs")) scope.set("kwargs", new Dictionary(rest));
  else if (rest.size > 0)
    throw new TemplateError(`${label} takes no keyword argument '${Array.from(rest.keys()).join()}'`);
  if (used.has("varargs")) scope.set("varargs", new Tuple(positional.slice(parameters.length)));
  else if (positional.length > parameters.length)
    throw new TemplateError(`${label} takes not more than ${parameters.length} argument(s)`);
}
