/**
 * Fairness between teams: while two teams both have runs that wait, each is served its share of the tokens, up to a bound that
 * does not grow with time. A team with a run may not have the additional slot. So where it falls behind while slow runs
 * of its own and of third teams hold all other slots, the comparison begins again.
 */
import type { Judge } from "./violation.js";

export interface FairTeam {
  readonly id: string;
  readonly weight: number;
}

export interface FairnessTerms {
  readonly slots: number;
  /** Tokens by which the shares of two teams may differ. */
  readonly tokensApartMax: number;
}

interface Backlog {
  readonly one: number;
  readonly other: number;
}

export class Fairness {
  /** Tokens each team was served, divided by its weight. */
  readonly #served = new Map<string, number>();
  /** The sums when both teams of a pair began to wait. */
  readonly #since = new Map<string, Backlog>();
  readonly #pairs: readonly (readonly [FairTeam, FairTeam])[];
  /** The largest difference so far. */
  worst = 0;

  constructor(
    private readonly teams: readonly FairTeam[],
    private readonly terms: FairnessTerms,
    private readonly judge: Judge,
  ) {
    this.#pairs = teams.flatMap((one, at) => teams.slice(at + 1).map((other) => [one, other] as const));
  }

  serve(teamId: string, tokens: number): void {
    const weight = this.teams.find(({ id }) => id === teamId)?.weight ?? 1;
    this.#served.set(teamId, this.#of(teamId) + tokens / weight);
  }

  /** A new process begins with nothing served. */
  restart(): void {
    this.#served.clear();
    this.#since.clear();
  }

  /**
   * @param waiting the teams with runs that wait
   * @param activeOf returns how many runs of a team are on slots
   */
  check(waiting: ReadonlySet<string>, activeOf: (teamId: string) => number): void {
    for (const [one, other] of this.#pairs) {
      const name = `${one.id} and ${other.id}`;
      if (!waiting.has(one.id) || !waiting.has(other.id)) {
        this.#since.delete(name);
        continue;
      }
      const now = { one: this.#of(one.id), other: this.#of(other.id) };
      const since = this.#since.get(name) ?? now;
      const ahead = now.one - since.one - (now.other - since.other);
      const [first, last] = ahead < 0 ? [other, one] : [one, other];
      const held = this.teams.reduce((sum, { id }) => sum + (id === first.id ? 0 : activeOf(id)), 0);
      if (activeOf(last.id) > 0 && held >= this.terms.slots) {
        this.#since.delete(name);
        continue;
      }
      this.#since.set(name, since);
      const apart = Math.abs(ahead);
      this.worst = Math.max(this.worst, apart);
      this.judge(
        apart <= this.terms.tokensApartMax,
        "waiting teams are served alike",
        () => `${name} are ${apart} tokens apart`,
      );
    }
  }

  #of(teamId: string): number {
    return this.#served.get(teamId) ?? 0;
  }
}
