/** Billing: credit and its changes, monthly limits, the invoice of the month, and budgets. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireBalance } from "../../../http/management/billing/balance.js";
import type { WireBalanceChange } from "../../../http/management/billing/balance-change.js";
import type { WireInvoice } from "../../../http/management/billing/invoice-preview.js";
import type { WireSpendingLimits } from "../../../http/management/billing/spending-limits.js";
import { send } from "../../lib/client.js";
import { dateText, momentText } from "../../lib/format.js";
import { centsToDollars, ticksText, typedCents } from "../../lib/money.js";
import { useGet, usePages, type PagedResource, type Resource, useResource } from "../../lib/resource.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Empty, PageHead, Section } from "../../parts/page.js";
import { Table, type Column, actionColumn } from "../../parts/table.js";
import { showToast } from "../../parts/toast.js";
import { useIsOperator, useTeam, useRole } from "../../session.js";
import { Summary } from "./summary.js";
import { subjectFields } from "../../../accounts/budgets/budget.js";
import type { WireBudget } from "../../../http/management/billing/present-budget.js";
import { listBudgetSubjects, type BudgetSubjects } from "../../api/budgets.js";
import { BudgetBars } from "../../parts/budgets/bars.js";
import { BudgetDialog, RemoveBudgetDialog } from "../../parts/budgets/budget-dialog.js";
import {
  budgetStateTexts,
  judgeBudget,
  listSpent,
  periodTitles,
  toBudgetKey,
} from "../../parts/budgets/describe-budget.js";
import { Moment } from "../../parts/text.js";

/** The page. */
export function BillingPage(): JSX.Element {
  const { teamId } = useTeam();
  const isOperator = useIsOperator();
  const path = `/v1/billing/teams/${teamId}`;
  const balance = useGet<WireBalance>(`${path}/prepaid/balance`, { pageSize: 1 });
  const changes = usePages<WireBalanceChange>(`${path}/prepaid/balance`, "changes");
  const limits = useGet<WireSpendingLimits>(`${path}/postpaid/spending-limits`);
  const invoice = useGet<WireInvoice>(`${path}/postpaid/invoice/preview`);
  const reload = (): void => {
    balance.reload();
    changes.reload();
    invoice.reload();
  };
  return (
    <>
      <PageHead title="Billing">
        {isOperator && (
          <button
            type="button"
            class="primary"
            onClick={() => openDialog(<CreditDialog path={path} onAdded={reload} />)}
          >
            Add credit
          </button>
        )}
      </PageHead>
      <Summary balance={balance} limits={limits} invoice={invoice} path={path} />
      <Budgets />
      <InvoicePreview invoice={invoice} />
      <Changes changes={changes} />
    </>
  );
}

const origins: Readonly<Record<WireBalanceChange["changeOrigin"], string>> = {
  PURCHASE: "Credit added",
  REFUND: "Refund",
  MANUAL: "Correction",
  SPEND: "Spending of the day",
};

const columns: readonly Column<WireBalanceChange>[] = [
  { title: "Time", cell: timeText },
  { title: "Change", cell: ({ changeOrigin }) => origins[changeOrigin] },
  { title: "Amount", kind: "number", cell: ({ amount }) => signedText(amount.val) },
];

/** The changes of the credit. */
function Changes({ changes }: { readonly changes: PagedResource<WireBalanceChange> }): JSX.Element {
  const { value } = changes;
  // Changes of the same moment have no id: their place from the oldest distinguishes them.
  const keys = new Map(value?.map((change, at) => [change, String(at)]));
  return (
    <Section id="changes" title="Changes of the credit">
      <Table
        label="Changes of the credit"
        columns={columns}
        rows={changes}
        getKey={(change) => keys.get(change) ?? ""}
        empty={
          <Empty title="No changes yet">
            <p>Credit that the operator adds, and what each day spends of it, appears here.</p>
          </Empty>
        }
      />
    </Section>
  );
}

/** Spending is of a day (UTC), everything else of a moment. */
function timeText({ changeOrigin, createTime }: WireBalanceChange): JSX.Element {
  const text = changeOrigin === "SPEND" ? `${createTime.slice(0, 10)} (UTC)` : momentText(createTime);
  return (
    <time dateTime={createTime} title={dateText(createTime)}>
      {text}
    </time>
  );
}

/** The API counts credit as negative. */
function signedText(cents: string): JSX.Element {
  const added = -BigInt(cents);
  return (
    <span class={added > 0n ? "added" : undefined}>{`${added > 0n ? "+" : ""}${centsToDollars(added)}`}</span>
  );
}

interface CreditDialogProps {
  /** The address of the team's billing. */
  readonly path: string;
  readonly onAdded: () => void;
}

/** Asks how much credit to add. */
function CreditDialog({ path, onAdded }: CreditDialogProps): JSX.Element {
  const { name } = useTeam();
  const [text, setText] = useState("");
  const add = async (): Promise<void> => {
    const val = typedCents("Amount in USD", text);
    await send("POST", `${path}/prepaid/top-up`, { amount: { val } });
    showToast(`${centsToDollars(val)} of credit were added to ${name}.`);
    onAdded();
  };
  return (
    <FormDialog title={`Add credit to ${name}`} action="Add credit" onSubmit={add}>
      <Field
        label="Amount in USD"
        hint="Dollars and cents, such as 25 or 12.50. The ledger keeps it: a wrong amount is corrected on the command line."
        required
        autofocus
        value={text}
        onValue={setText}
      />
    </FormDialog>
  );
}

const million = 1_000_000n;

type InvoiceLine = WireInvoice["coreInvoice"]["lines"][number];

const invoiceColumns: readonly Column<InvoiceLine>[] = [
  { title: "Model", cell: ({ description }) => <strong>{description}</strong> },
  { title: "What", cell: ({ unitType }) => unitType },
  { title: "Number", kind: "number", cell: ({ numUnits }) => BigInt(numUnits).toLocaleString() },
  { title: "Price", kind: "number", cell: priceText },
  { title: "Amount", kind: "number", cell: ({ amount }) => centsToDollars(amount) },
];

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** The invoice of the month so far. */
function InvoicePreview({ invoice }: { readonly invoice: Resource<WireInvoice> }): JSX.Element {
  const { value } = invoice;
  const total = value?.coreInvoice.totalWithCorr.val;
  return (
    <Section
      id="invoice"
      title={`Invoice of ${value === null ? "this month" : formatMonth(value)} so far`}
      aside={
        total !== undefined && (
          <p>
            Total <strong>{centsToDollars(total)}</strong>
          </p>
        )
      }
    >
      <Table
        label="Invoice of this month"
        columns={invoiceColumns}
        rows={{ ...invoice, value: value?.coreInvoice.lines ?? null }}
        getKey={({ description, unitType, unitPrice }) => `${description} ${unitType} ${unitPrice}`}
        empty={
          <Empty title="No usage this month">
            <p>Requests of this month appear here by model, with their price.</p>
          </Empty>
        }
      />
    </Section>
  );
}

function formatMonth({ billingCycle: { year, month } }: WireInvoice): string {
  return monthName.format(Date.UTC(year, month - 1));
}

function priceText({ unitType, unitPrice }: InvoiceLine): string {
  if (unitType === "Generated image") return `${ticksText(BigInt(unitPrice))} each`;
  return `${ticksText(BigInt(unitPrice) * million)} per million`;
}

// The budgets of the team, its members, keys, tags and end users.

/** The list, and its dialogs. */
function Budgets(): JSX.Element {
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

/** Returns the name of the key, member, tag, end user or team. */
function subjectText(
  { apiKeyId, memberId, tag, endUser }: WireBudget,
  subjects: BudgetSubjects | null,
  teamName: string,
): string {
  if (tag !== undefined) return `Tag ${tag}`;
  if (endUser !== undefined) return `End user ${endUser}`;
  const id = apiKeyId ?? memberId;
  if (id === undefined) return `Team ${teamName}`;
  const found = [...(subjects?.keys ?? []), ...(subjects?.members ?? [])].find(([each]) => each === id);
  return found?.[1] ?? id;
}
