/**
 * Renders Jinja templates under a budget of steps and text. It bounds what the interpreter does; a single operation of the library,
 * such as a replacement in a long text, can still need more memory or time than a server has, so this runs in a process of its own
 * (renderer.ts).
 */
import { Environment, Interpreter, parse, Template, tokenize } from "@huggingface/jinja";
import type { Rendering, TemplateBudget } from "./protocol.js";

type WorkBudget = Omit<TemplateBudget, "renderMsMax">;

/** Steps between two readings of the CPU time. */
const stepsPerReading = 4096;

interface Value {
  readonly value: unknown;
}

interface Scope {
  set(name: string, value: unknown): void;
}

interface Evaluator {
  run(program: object): Value;
  evaluate(statement: object | undefined, scope: Scope): Value;
}

/** The library's own classes; its type declarations do not resolve under Node's rules for modules. */
const LibraryScope = Environment as new () => Scope;
const LibraryInterpreter = Interpreter as new (scope: Scope) => Evaluator;
const parseSource = parse as (tokens: unknown) => object;
const tokenizeSource = tokenize as (source: string, options: object) => unknown;

export class JinjaTemplate {
  readonly #program: object;

  /** @param cpuMs returns the CPU time of this process in milliseconds. @throws Error when the source is not valid Jinja. */
  constructor(
    readonly source: string,
    private readonly cpuMs: () => number,
  ) {
    // The options of the library's own class, which are those of chat templates.
    try {
      this.#program = parseSource(tokenizeSource(source, { lstrip_blocks: true, trim_blocks: true }));
    } catch (thrown) {
      throw new Error(reasonOf(thrown, "it is cut off, or nested too deeply"), { cause: thrown });
    }
  }

  render(variables: Readonly<Record<string, unknown>>, budget: WorkBudget): Rendering {
    const meter = new Meter(budget, this.cpuMs);
    try {
      const scope = new LibraryScope();
      for (const [name, value] of Object.entries({ ...globals(meter), ...variables })) scope.set(name, value);
      return {
        type: "text",
        text: String(new MeteredInterpreter(scope, meter).run(this.#program).value),
      };
    } catch (thrown) {
      if (thrown instanceof BudgetExceeded) return { type: "exceeded", limit: thrown.message };
      const otherwise = "it is nested too deeply, or has a value of an unexpected type";
      return { type: "rejected", reason: reasonOf(thrown, otherwise) };
    }
  }
}

class BudgetExceeded extends Error {}

/**
 * Returns the message of an error that the library or a template raises on purpose. One of JavaScript itself, such as a TypeError
 * inside the library, says nothing about the template.
 */
function reasonOf(thrown: unknown, otherwise: string): string {
  if (!(thrown instanceof Error) || thrown instanceof TypeError || thrown instanceof RangeError)
    return otherwise;
  return thrown.message;
}

class Meter {
  readonly #budget: WorkBudget;
  readonly #cpuMs: () => number;
  readonly #startCpuMs: number;
  #steps = 0;
  #nextReading = stepsPerReading;

  constructor(budget: WorkBudget, cpuMs: () => number) {
    this.#budget = budget;
    this.#cpuMs = cpuMs;
    this.#startCpuMs = cpuMs();
  }

  /** @throws BudgetExceeded */
  countSteps(steps: number): void {
    const { stepsMax, cpuMsMax } = this.#budget;
    this.#steps += steps;
    if (this.#steps > stepsMax) throw new BudgetExceeded(`needs more than ${grouped(stepsMax)} steps`);
    if (this.#steps < this.#nextReading) return;
    this.#nextReading = this.#steps + stepsPerReading;
    if (this.#cpuMs() - this.#startCpuMs > cpuMsMax)
      throw new BudgetExceeded(`needs more than ${grouped(cpuMsMax)} ms`);
  }

  /** @throws BudgetExceeded */
  checkText(length: number): void {
    const { textLengthMax } = this.#budget;
    if (length > textLengthMax)
      throw new BudgetExceeded(`makes a text of more than ${grouped(textLengthMax)} characters`);
  }
}

class MeteredInterpreter extends LibraryInterpreter {
  readonly #meter: Meter;

  constructor(scope: Scope, meter: Meter) {
    super(scope);
    this.#meter = meter;
  }

  override evaluate(statement: object | undefined, scope: Scope): Value {
    this.#meter.countSteps(1);
    const value = super.evaluate(statement, scope);
    if (typeof value.value === "string") this.#meter.checkText(value.value.length);
    return value;
  }
}

const currentTime = new Template("{{ strftime_now(format) }}");

/** The names that the library's own class defines, with a range that counts. */
function globals(meter: Meter): Readonly<Record<string, unknown>> {
  return {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    raise_exception(message: unknown) {
      throw new Error(String(message));
    },
    range: (start: number, stop?: number, step?: number) => range(meter, start, stop, step),
    strftime_now: (format: unknown) => currentTime.render({ format }),
  };
}

function range(meter: Meter, start: number, stop?: number, step = 1): readonly number[] {
  if (step === 0) throw new Error("range() step must not be zero");
  const [first, end] = stop === undefined ? [0, start] : [start, stop];
  const count = Math.max(0, Math.ceil((end - first) / step));
  meter.countSteps(count);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
