/** Billing: credit and its changes, monthly limits, the invoice of the month, and budgets. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  getCredit,
  getInvoice,
  getSpendingLimits,
  listChanges,
  type BalanceChange,
  addCredit,
  type Invoice,
  type InvoiceLine,
} from "../../api/billing.js";
import { dateText, momentText } from "../../lib/format.js";
import { centsText, typedCents, ticksText } from "../../lib/money.js";
import { usePages, useResource, type PagedResource, type Resource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Empty } from "../../parts/empty.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { Table, type Column } from "../../parts/table.js";
import { showToast } from "../../parts/toast.js";
import { useIsOperator, useTeam } from "../../session.js";
import { PageHead } from "../../parts/page-head.js";
import { Budgets } from "./budgets.js";
import { Summary } from "./summary.js";

/** The page. */
export function BillingPage(): JSX.Element {
  const { teamId } = useTeam();
  const isOperator = useIsOperator();
  const [isAdding, setAdding] = useState(false);
  const credit = useResource((signal) => getCredit(teamId, signal), [teamId]);
  const changes = usePages((token, signal) => listChanges(teamId, token, signal), [teamId]);
  const limits = useResource((signal) => getSpendingLimits(teamId, signal), [teamId]);
  const invoice = useResource((signal) => getInvoice(teamId, signal), [teamId]);
  const reload = (): void => {
    credit.reload();
    changes.reload();
    invoice.reload();
  };
  return (
    <>
      <PageHead title="Billing">
        {isOperator && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add credit
          </button>
        )}
      </PageHead>
      <Summary credit={credit} limits={limits} invoice={invoice} />
      <Budgets />
      <InvoicePreview invoice={invoice} />
      <Changes changes={changes} />
      {isAdding && <CreditDialog teamId={teamId} onAdded={reload} onClose={() => setAdding(false)} />}
    </>
  );
}

const origins: Readonly<Record<BalanceChange["changeOrigin"], string>> = {
  PURCHASE: "Credit added",
  REFUND: "Refund",
  MANUAL: "Correction",
  SPEND: "Spending of the day",
};

const columns: readonly Column<BalanceChange>[] = [
  { title: "Time", cell: timeText },
  { title: "Change", cell: ({ changeOrigin }) => origins[changeOrigin] },
  { title: "Amount", kind: "number", cell: ({ amount }) => signedText(amount.val) },
];

/** The changes of the credit. */
function Changes({ changes }: { readonly changes: PagedResource<BalanceChange> }): JSX.Element {
  const { value } = changes;
  // Changes of the same moment have no id: their place from the oldest distinguishes them.
  const keys = new Map(value?.map((change, at) => [change, String(at)]));
  return (
    <section class="part" aria-labelledby="changes">
      <h2 id="changes">Changes of the credit</h2>
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
    </section>
  );
}

/** Spending is of a day (UTC), everything else of a moment. */
function timeText({ changeOrigin, createTime }: BalanceChange): JSX.Element {
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
    <span class={added > 0n ? "added" : undefined}>{`${added > 0n ? "+" : ""}${centsText(added)}`}</span>
  );
}

interface CreditDialogProps {
  readonly teamId: string;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** Asks how much credit to add. */
function CreditDialog({ teamId, onAdded, onClose }: CreditDialogProps): JSX.Element {
  const { name } = useTeam();
  const [text, setText] = useState("");
  const add = async (): Promise<void> => {
    const cents = typedCents("Amount in USD", text);
    await addCredit(teamId, cents);
    showToast(`${centsText(cents)} of credit were added to ${name}.`);
    onAdded();
    onClose();
  };
  return (
    <Dialog title={`Add credit to ${name}`} onClose={onClose}>
      <Form action="Add credit" onSubmit={add} onCancel={onClose}>
        <Field
          label="Amount in USD"
          hint="Dollars and cents, such as 25 or 12.50. The ledger keeps it: a wrong amount is corrected on the command line."
          required
          autofocus
          value={text}
          onValue={setText}
        />
      </Form>
    </Dialog>
  );
}

const million = 1_000_000n;

const invoiceColumns: readonly Column<InvoiceLine>[] = [
  { title: "Model", cell: ({ description }) => <strong>{description}</strong> },
  { title: "What", cell: ({ unitType }) => unitType },
  { title: "Number", kind: "number", cell: ({ numUnits }) => BigInt(numUnits).toLocaleString() },
  { title: "Price", kind: "number", cell: priceText },
  { title: "Amount", kind: "number", cell: ({ amount }) => centsText(amount) },
];

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** The invoice of the month so far. */
function InvoicePreview({ invoice }: { readonly invoice: Resource<Invoice> }): JSX.Element {
  const { value, error, isLoading, reload } = invoice;
  const lines = { value: value?.coreInvoice.lines ?? null, error, isLoading, reload };
  const total = value?.coreInvoice.totalWithCorr.val;
  return (
    <section class="part" aria-labelledby="invoice">
      <header class="page-head">
        <h2 id="invoice">Invoice of {value === null ? "this month" : formatMonth(value)} so far</h2>
        {total !== undefined && (
          <p>
            Total <strong>{centsText(total)}</strong>
          </p>
        )}
      </header>
      <Table
        label="Invoice of this month"
        columns={invoiceColumns}
        rows={lines}
        getKey={({ description, unitType, unitPrice }) => `${description} ${unitType} ${unitPrice}`}
        empty={
          <Empty title="No usage this month">
            <p>Requests of this month appear here by model, with their price.</p>
          </Empty>
        }
      />
    </section>
  );
}

function formatMonth({ billingCycle: { year, month } }: Invoice): string {
  return monthName.format(Date.UTC(year, month - 1));
}

function priceText({ unitType, unitPrice }: InvoiceLine): string {
  if (unitType === "Generated image") return `${ticksText(BigInt(unitPrice))} each`;
  return `${ticksText(BigInt(unitPrice) * million)} per million`;
}
