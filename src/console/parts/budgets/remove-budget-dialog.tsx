import type { JSX } from "preact";
import { setBudget, type Budget } from "../../api/budgets.js";
import { Confirm } from "../confirm.js";
import { showToast } from "../toast.js";
import { noLimits, periodTitles } from "./describe-budget.js";

interface RemoveBudgetDialogProps {
  readonly teamId: string;
  readonly budget: Budget;
  /** The key, member or team. */
  readonly name: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks before a budget is removed. */
export function RemoveBudgetDialog({
  teamId,
  budget,
  name,
  onSaved,
  onClose,
}: RemoveBudgetDialogProps): JSX.Element {
  const remove = async (): Promise<void> => {
    await setBudget(teamId, budget, noLimits);
    showToast("The budget is removed.");
    onSaved();
  };
  return (
    <Confirm title="Remove budget" action="Remove budget" onConfirm={remove} onClose={onClose}>
      <p>
        From the next request on, <strong>{name}</strong> has no limit{" "}
        {periodTitles[budget.period].toLowerCase()}.
      </p>
    </Confirm>
  );
}
