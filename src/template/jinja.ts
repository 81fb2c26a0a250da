/**
 * Renders Jinja templates under a budget of steps and text, with the results of Python's engine as transformers sets it up. It bounds
 * what the interpreter does; a single operation, such as a replacement in a long text, can still need more memory or time than a
 * server has, so run it in a process of its own.
 */
import { globals } from "./library/globals.js";
import { BudgetExceeded, Meter, type WorkBudget } from "./meter.js";
import { TemplateEvaluator } from "./run/expressions.js";
import { VariableScope } from "./run/scope.js";
import { Program } from "./run/statements.js";
import type { JinjaStatement } from "./syntax/nodes.js";
import { parseTemplate } from "./syntax/statements.js";
import { valueOfData } from "./values/values.js";

export type Rendering =
  | { readonly type: "text"; readonly text: string }
  /** The template is not valid, or it raised an error. */
  | { readonly type: "invalid" | "rejected"; readonly reason: string }
  /** It exceeded its budget. `limit` completes the sentence "the template ...". */
  | { readonly type: "exceeded"; readonly limit: string };

interface TemplateClock {
  /** Returns the CPU time of this process in milliseconds. */
  readonly cpuMs: () => number;
  /** Returns the time of day, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

export class JinjaTemplate {
  readonly #statements: readonly JinjaStatement[];

  /** @throws Error when the source is not valid Jinja. */
  constructor(
    readonly source: string,
    private readonly clock: TemplateClock,
  ) {
    try {
      this.#statements = parseTemplate(source);
    } catch (thrown) {
      throw new Error(describeReason(thrown, "it is cut off, or nested too deeply"), { cause: thrown });
    }
  }

  render(variables: Readonly<Record<string, unknown>>, budget: WorkBudget): Rendering {
    try {
      const meter = new Meter(budget, this.clock.cpuMs);
      const evaluator = new TemplateEvaluator(meter, this.clock.nowMs);
      const scope = new VariableScope();
      for (const [name, value] of globals(evaluator)) scope.set(name, value);
      for (const [name, value] of Object.entries(variables)) scope.set(name, valueOfData(value));
      return {
        type: "text",
        text: new Program(evaluator).render(this.#statements, new VariableScope(scope)),
      };
    } catch (thrown) {
      if (thrown instanceof BudgetExceeded) return { type: "exceeded", limit: thrown.message };
      const otherwise = "it is nested too deeply, or has a value of an unexpected type";
      return { type: "rejected", reason: describeReason(thrown, otherwise) };
    }
  }
}

/**
 * Returns the message of an error that the interpreter or a template raises on purpose. One of JavaScript itself, such as a
 * RangeError of a deep recursion, says nothing about the template.
 */
function describeReason(thrown: unknown, otherwise: string): string {
  if (!(thrown instanceof Error) || thrown instanceof TypeError || thrown instanceof RangeError)
    return otherwise;
  return thrown.message;
}
