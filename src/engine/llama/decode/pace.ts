/** How much one tick of a model does: which answers get a token, and how many prompt tokens are evaluated beside them. */
import { PrefillBudget, type MeasuredTick, type PrefillLimits } from "./prefill-budget.js";
import { TeamTurns } from "./team-turns.js";

interface Paced {
  readonly job: number;
  readonly mode: "prefill" | "decode" | "finished";
  readonly teamId: string;
  readonly deterministic: boolean;
}

interface TickWork<T> {
  /** Generations that sample a token, in the order given. */
  readonly stepping: readonly T[];
  /** Generations whose prompts may be evaluated, oldest first. */
  readonly prefilling: readonly T[];
  /** Prompt tokens that may be evaluated; drafted tokens where no prompt is. */
  readonly promptTokens: number;
}

export class Pace {
  readonly #budget: PrefillBudget;
  readonly #turns = new TeamTurns();

  constructor(limits: PrefillLimits) {
    this.#budget = new PrefillBudget(limits);
  }

  /** Milliseconds per prompt token; null while it is not measured. */
  get msPerPromptToken(): number | null {
    return this.#budget.msPerToken;
  }

  /** Returns the work of the next tick. @param running the generations of the model, by slot */
  next<T extends Paced>(running: readonly T[]): TickWork<T> {
    const prefilling = running.filter(({ mode }) => mode === "prefill").sort((a, b) => a.job - b.job);
    const decoding = running.filter(({ mode }) => mode === "decode");
    const stepping = this.#turns.choose(decoding);
    // While the larger teams pause, so do the prompts. Nobody pauses while the prompt of a smaller team is evaluated.
    const isPause = stepping.length < decoding.length;
    const isForSmaller = prefilling.some(({ teamId }) => stepping.some((each) => each.teamId === teamId));
    const isFixed = prefilling.some(({ deterministic }) => deterministic);
    const promptTokens = this.#budget.tokensForTick(decoding.length, isFixed);
    if (isPause && !isForSmaller) return { stepping, prefilling: [], promptTokens };
    return { stepping: decoding, prefilling, promptTokens };
  }

  /** Records a tick. One with drafted tokens says nothing about others. @param drafted tokens that were evaluated ahead */
  record({ drafted, ...tick }: MeasuredTick & { readonly drafted: number }): void {
    if (drafted > 0) return;
    this.#budget.recordTick(tick);
    if (tick.promptTokens === 0 && tick.decoding > 0) this.#turns.record(tick.decoding, tick.ms);
  }
}
