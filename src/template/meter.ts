/** Counts what one rendering uses, and ends it when it exceeds its budget. */

/** What one rendering may use. */
export interface WorkBudget {
  /** Statements and expressions that are evaluated, and numbers in ranges. */
  readonly stepsMax: number;
  /** CPU time, checked between steps. */
  readonly cpuMsMax: number;
  /** Characters of a text, the result included. */
  readonly textLengthMax: number;
}

/** Steps between two readings of the CPU time. */
const stepsPerReading = 4096;
/** Characters of a text that count as one step, in operations that read all of it. */
const charactersPerStep = 1024;

export class BudgetExceeded extends Error {}

export class Meter {
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

  /** Counts the reading of a whole text. @throws BudgetExceeded */
  countReading(text: string): void {
    if (text.length >= charactersPerStep) this.countSteps(Math.floor(text.length / charactersPerStep));
  }

  /** @param length of a text in UTF-16 units, checked before the text is made where it can be long @throws BudgetExceeded */
  checkText(length: number): void {
    const { textLengthMax } = this.#budget;
    if (length > textLengthMax)
      throw new BudgetExceeded(`makes a text of more than ${grouped(textLengthMax)} characters`);
  }
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
