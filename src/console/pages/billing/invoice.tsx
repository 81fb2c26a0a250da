import type { JSX } from "preact";
import type { Invoice, InvoiceLine } from "../../api/billing.js";
import { centsText, ticksText } from "../../lib/money.js";
import type { Resource } from "../../lib/resource.js";
import { Empty } from "../../parts/empty.js";
import { Table, type Column } from "../../parts/table.js";

const million = 1_000_000n;

const columns: readonly Column<InvoiceLine>[] = [
  { title: "Model", cell: ({ description }) => <strong>{description}</strong> },
  { title: "What", cell: ({ unitType }) => unitType },
  { title: "Number", kind: "number", cell: ({ numUnits }) => BigInt(numUnits).toLocaleString() },
  { title: "Price", kind: "number", cell: priceText },
  { title: "Amount", kind: "number", cell: ({ amount }) => centsText(amount) },
];

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** The invoice of the month so far. */
export function InvoicePreview({ invoice }: { readonly invoice: Resource<Invoice> }): JSX.Element {
  const { value, error, isLoading, reload } = invoice;
  const lines = { value: value?.coreInvoice.lines ?? null, error, isLoading, reload };
  const total = value?.coreInvoice.totalWithCorr.val;
  return (
    <section class="part" aria-labelledby="invoice">
      <header class="page-head">
        <h2 id="invoice">Invoice of {value === null ? "this month" : monthOf(value)} so far</h2>
        {total !== undefined && (
          <p>
            Total <strong>{centsText(total)}</strong>
          </p>
        )}
      </header>
      <Table
        label="Invoice of this month"
        columns={columns}
        rows={lines}
        keyOf={({ description, unitType, unitPrice }) => `${description} ${unitType} ${unitPrice}`}
        empty={
          <Empty title="No usage this month">
            <p>Requests of this month appear here by model, with their price.</p>
          </Empty>
        }
      />
    </section>
  );
}

function monthOf({ billingCycle: { year, month } }: Invoice): string {
  return monthName.format(Date.UTC(year, month - 1));
}

function priceText({ unitType, unitPrice }: InvoiceLine): string {
  if (unitType === "Generated image") return `${ticksText(BigInt(unitPrice))} each`;
  return `${ticksText(BigInt(unitPrice) * million)} per million`;
}
