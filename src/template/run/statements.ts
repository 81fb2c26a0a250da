/** Runs the statements of a template. */
import type {
  CallStatement,
  JinjaExpression,
  ForStatement,
  JinjaStatement,
  Target,
} from "../syntax/nodes.js";
import { toText } from "../values/text.js";
import { Callable, isTruthy, listItems, Namespace, TemplateError, type Value } from "../values/values.js";
import type { TemplateEvaluator } from "./expressions.js";
import { Loop } from "./loop.js";
import { bindParameters, type MacroSource } from "./macros.js";
import { VariableScope } from "./scope.js";

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
