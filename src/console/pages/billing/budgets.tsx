/** The budgets of the team, its members, keys, tags and end users. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listBudgets, listBudgetSubjects, type Budget, type BudgetSubjects } from "../../api/budgets.js";
import { momentText } from "../../lib/format.js";
import { usePages, useResource, type PagedResource } from "../../lib/resource.js";
import { useIsOperator, useRole, useTeam } from "../../session.js";
import { Empty } from "../../parts/empty.js";
import { Table, type Column } from "../../parts/table.js";
import { BudgetDialog } from "../../parts/budgets/budget-dialog.js";
import {
  periodTitles,
  listSpent,
  judgeBudget,
  stateTexts,
  readBudgetSubject,
  subjectText,
} from "../../parts/budgets/describe-budget.js";
import { RemoveBudgetDialog } from "../../parts/budgets/remove-budget-dialog.js";
import { BudgetBars } from "../../parts/budgets/bars.js";

type Open = { readonly kind: "create" } | { readonly kind: "edit" | "remove"; readonly budget: Budget };

/** The list, and its dialogs. */
export function Budgets(): JSX.Element {
  const { teamId, name } = useTeam();
  const budgets = usePages((token, signal) => listBudgets(teamId, token, signal), [teamId]);
  const subjects = useResource((signal) => listBudgetSubjects(teamId, signal), [teamId]);
  const [open, setOpen] = useState<Open | null>(null);
  const may = { budgets: useRole("owner"), team: useIsOperator() };
  const nameBudget = (budget: Budget): string => subjectText(budget, subjects.value, name);
  const common = { teamId, onSaved: budgets.reload, onClose: () => setOpen(null) };
  return (
    <section class="part" aria-labelledby="budgets">
      <header class="page-head">
        <h2 id="budgets">Budgets</h2>
        {may.budgets && (
          <button type="button" onClick={() => setOpen({ kind: "create" })}>
            Create budget
          </button>
        )}
      </header>
      <Table
        label="Budgets"
        columns={listColumns(nameBudget, may, setOpen)}
        rows={budgets}
        getKey={(budget) => `${JSON.stringify(readBudgetSubject(budget))} ${budget.period}`}
        empty={<NoBudgets />}
      />
      <Opened
        open={open}
        budgets={budgets}
        subjects={subjects.value}
        toName={nameBudget}
        common={common}
        mayTeam={may.team}
      />
    </section>
  );
}

interface OpenedProps {
  readonly open: Open | null;
  readonly budgets: PagedResource<Budget>;
  readonly subjects: BudgetSubjects | null;
  readonly toName: (budget: Budget) => string;
  readonly common: { readonly teamId: string; readonly onSaved: () => void; readonly onClose: () => void };
  readonly mayTeam: boolean;
}

function Opened({
  open,
  budgets,
  subjects,
  toName: nameBudget,
  common,
  mayTeam,
}: OpenedProps): JSX.Element | null {
  if (open === null) return null;
  if (open.kind === "remove")
    return <RemoveBudgetDialog {...common} budget={open.budget} name={nameBudget(open.budget)} />;
  if (open.kind === "edit")
    return (
      <BudgetDialog
        {...common}
        edited={open.budget}
        name={nameBudget(open.budget)}
        existing={[]}
        subjects={subjects}
        mayTeam={mayTeam}
      />
    );
  return (
    <BudgetDialog {...common} name="" existing={budgets.value ?? []} subjects={subjects} mayTeam={mayTeam} />
  );
}

interface May {
  readonly budgets: boolean;
  readonly team: boolean;
}

function listColumns(
  nameBudget: (budget: Budget) => string,
  may: May,
  open: (dialog: Open) => void,
): readonly Column<Budget>[] {
  const shown: readonly Column<Budget>[] = [
    {
      title: "Budget of",
      cell: (budget) => (
        <>
          <strong>{nameBudget(budget)}</strong>
          <br />
          {periodTitles[budget.period]}
        </>
      ),
    },
    { title: "Spent", cell: (budget) => <BudgetBars budget={budget} name={nameBudget(budget)} /> },
    { title: "State", cell: (budget) => <State budget={budget} /> },
    {
      title: "Resets",
      cell: ({ resetTime }) =>
        resetTime === undefined ? "never" : <time dateTime={resetTime}>{momentText(resetTime)}</time>,
    },
  ];
  const mayChange = (budget: Budget): boolean =>
    may.budgets && (may.team || Object.keys(readBudgetSubject(budget)).length > 0);
  const actions: Column<Budget> = {
    title: "Actions",
    kind: "actions",
    cell: (budget) =>
      mayChange(budget) && (
        <>
          <button type="button" onClick={() => open({ kind: "edit", budget })}>
            Edit
          </button>
          <button type="button" onClick={() => open({ kind: "remove", budget })}>
            Remove
          </button>
        </>
      ),
  };
  return may.budgets ? [...shown, actions] : shown;
}

function State({ budget }: { readonly budget: Budget }): JSX.Element {
  const states = listSpent(budget).map(judgeBudget);
  const state = (["bad", "warn"] as const).find((each) => states.includes(each)) ?? "good";
  return <span class={`state ${state}`}>{stateTexts[state]}</span>;
}

function NoBudgets(): JSX.Element {
  return (
    <Empty title="No budgets">
      <p>
        A budget bounds what a key, a member, a tag, an end user or the team spends in a day, a week, a month
        or in total, in dollars or tokens.
      </p>
    </Empty>
  );
}
