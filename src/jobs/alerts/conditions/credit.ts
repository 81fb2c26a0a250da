/** Teams whose prepaid credit is below the amount of a channel, or of the setting. */
import type { LedgerStore } from "../../../accounts/money/store/ledger.js";
import type { TeamStore } from "../../../accounts/teams/store.js";
import { ticksToUsd, type Ticks } from "../../../core/money.js";
import type { ConditionSource } from "../conditions.js";

interface CreditSourceDeps {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
  /** For channels without an amount of their own; 0: none. */
  readonly creditTicks: Ticks;
}

/** Creates the source. A team that never had credit is not alerted to. */
export function creditSource({ teams, ledger, creditTicks }: CreditSourceDeps): ConditionSource {
  return async ({ channels }) => {
    const balances = await ledger.balances();
    return (await teams.list())
      .filter(({ billing, blocked, id }) => billing === "prepaid" && !blocked && balances.has(id))
      .flatMap(({ id: teamId, name }) => {
        const credit = balances.get(teamId)?.credit ?? 0n;
        const amounts = channels
          .filter((channel) => channel.teamId === null || channel.teamId === teamId)
          .map((channel) => channel.creditTicks ?? creditTicks);
        return [...new Set([creditTicks, ...amounts])]
          .filter((amount) => credit < BigInt(amount))
          .map((amount) => {
            const [creditUsd, belowUsd] = [ticksToUsd(credit), ticksToUsd(BigInt(amount))];
            return {
              kind: "credit_low" as const,
              subject: JSON.stringify([teamId, amount]),
              teamId,
              message: `The credit of team '${name}' is below ${belowUsd} USD.`,
              details: { creditUsd, belowUsd },
            };
          });
      });
  };
}

/** Returns the amount that a condition of low credit is below. */
export function readCreditTicks({ subject }: { readonly subject: string }): Ticks {
  const [, amount] = JSON.parse(subject) as [teamId: string, amount: Ticks];
  return amount;
}
