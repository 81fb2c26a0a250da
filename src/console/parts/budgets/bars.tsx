import type { JSX } from "preact";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import { ticksText } from "../../lib/money.js";
import { listSpent, judgeBudget, type SpentAmount } from "./describe-budget.js";

/** A bar has thousandths of its limit. */
const whole = 1000;

/** What is spent of each limit, as a bar and in numbers. */
export function BudgetBars({
  budget,
  name,
}: {
  readonly budget: WireBudget;
  readonly name: string;
}): JSX.Element {
  return (
    <div class="bars">
      {listSpent(budget).map((spent) => (
        <SpentBar key={spent.unit} spent={spent} name={name} />
      ))}
    </div>
  );
}

function SpentBar({ spent, name }: { readonly spent: SpentAmount; readonly name: string }): JSX.Element {
  const { unit, hard, soft, reserved } = spent;
  const limit = hard ?? soft ?? 0n;
  const text = `${amountText(unit, spent.spent)} of ${amountText(unit, limit)}${unit === "tokens" ? " tokens" : ""}`;
  return (
    <div>
      <progress
        class={judgeBudget(spent)}
        aria-label={`${name}: ${text}`}
        max={whole}
        value={computeShare(spent.spent, limit)}
      />
      <p>{text}</p>
      {hard !== null && soft !== null && <small class="hint">warns at {amountText(unit, soft)}</small>}
      {hard === null && <small class="hint">only warns</small>}
      {reserved > 0n && <small class="hint">{amountText(unit, reserved)} reserved</small>}
    </div>
  );
}

function computeShare(part: bigint, limit: bigint): number {
  if (limit === 0n || part >= limit) return whole;
  return Number((part * BigInt(whole)) / limit);
}

function amountText(unit: SpentAmount["unit"], amount: bigint): string {
  return unit === "usd" ? ticksText(amount) : amount.toLocaleString();
}
