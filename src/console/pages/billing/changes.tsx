import type { JSX } from "preact";
import type { BalanceChange } from "../../api/billing.js";
import { dateText, momentText } from "../../lib/format.js";
import { centsText } from "../../lib/money.js";
import type { PagedResource } from "../../lib/resource.js";
import { Empty } from "../../parts/empty.js";
import { Table, type Column } from "../../parts/table.js";

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
export function Changes({ changes }: { readonly changes: PagedResource<BalanceChange> }): JSX.Element {
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
        keyOf={(change) => keys.get(change) ?? ""}
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
