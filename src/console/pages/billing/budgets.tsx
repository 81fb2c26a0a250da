/** The budgets of the team, its members, keys, tags and end users. */
import type { JSX } from "preact";
import { subjectFields } from "../../../accounts/budgets/budget.js";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import { listBudgetSubjects } from "../../api/budgets.js";
import { usePages, useResource } from "../../lib/resource.js";
import { BudgetBars } from "../../parts/budgets/bars.js";
import { BudgetDialog, RemoveBudgetDialog } from "../../parts/budgets/budget-dialog.js";
import {
  budgetStateTexts,
  judgeBudget,
  listSpent,
  periodTitles,
  subjectText,
  toBudgetKey,
} from "../../parts/budgets/describe-budget.js";
import { openDialog } from "../../parts/dialog.js";
import { Empty, Section } from "../../parts/page.js";
import { actionColumn, Table, type Column } from "../../parts/table.js";
import { Moment } from "../../parts/text.js";
import { useIsOperator, useRole, useTeam } from "../../session.js";

/** The list, and its dialogs. */
export function Budgets(): JSX.Element {
  const { teamId, name: teamName } = useTeam();
  const budgets = usePages<WireBudget>(`/auth/teams/${teamId}/budgets`, "budgets");
  const subjects = useResource((signal) => listBudgetSubjects(teamId, signal), [teamId]);
  const [mayChange, mayTeam] = [useRole("owner"), useIsOperator()];
  const toName = (budget: WireBudget): string => subjectText(budget, subjects.value, teamName);
  const onSaved = budgets.reload;
  const create = (): void =>
    openDialog(<BudgetDialog name="" existing={budgets.value ?? []} onSaved={onSaved} />);
  const actions = actionColumn<WireBudget>((budget) => {
    if (!mayTeam && subjectFields.every(([field]) => budget[field] === undefined)) return [];
    const common = { name: toName(budget), onSaved };
    return [
      { text: "Edit", onClick: () => openDialog(<BudgetDialog {...common} edited={budget} existing={[]} />) },
      { text: "Remove", onClick: () => openDialog(<RemoveBudgetDialog {...common} budget={budget} />) },
    ];
  });
  return (
    <Section
      id="budgets"
      title="Budgets"
      aside={
        mayChange && (
          <button type="button" onClick={create}>
            Create budget
          </button>
        )
      }
    >
      <Table
        label="Budgets"
        columns={[...listColumns(toName), ...(mayChange ? [actions] : [])]}
        rows={budgets}
        getKey={toBudgetKey}
        empty={
          <Empty title="No budgets">
            <p>
              A budget bounds what a key, a member, a tag, an end user or the team spends in a day, a week, a
              month or in total, in dollars or tokens.
            </p>
          </Empty>
        }
      />
    </Section>
  );
}

function listColumns(toName: (budget: WireBudget) => string): readonly Column<WireBudget>[] {
  return [
    {
      title: "Budget of",
      cell: (budget) => (
        <>
          <strong>{toName(budget)}</strong>
          <br />
          {periodTitles[budget.period]}
        </>
      ),
    },
    { title: "Spent", cell: (budget) => <BudgetBars budget={budget} name={toName(budget)} /> },
    { title: "State", cell: (budget) => <State budget={budget} /> },
    {
      title: "Resets",
      cell: ({ resetTime }) => (resetTime === undefined ? "never" : <Moment at={resetTime} />),
    },
  ];
}

function State({ budget }: { readonly budget: WireBudget }): JSX.Element {
  const states = listSpent(budget).map(judgeBudget);
  const state = (["bad", "warn"] as const).find((each) => states.includes(each)) ?? "good";
  return <span class={`state ${state}`}>{budgetStateTexts[state]}</span>;
}
