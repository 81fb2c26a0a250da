import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireBalance } from "../../../http/management/billing/balance.js";
import type { WireInvoice } from "../../../http/management/billing/invoice-preview.js";
import type { WireSpendingLimits } from "../../../http/management/billing/spending-limits.js";
import { send } from "../../lib/client.js";
import { centsField, centsToDollars, typedCents } from "../../lib/money.js";
import type { Resource } from "../../lib/resource.js";
import { FormDialog, openDialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { ErrorBox } from "../../parts/page.js";
import { useIsOperator, useRole } from "../../session.js";

interface SummaryProps {
  readonly balance: Resource<WireBalance>;
  readonly limits: Resource<WireSpendingLimits>;
  readonly invoice: Resource<WireInvoice>;
  /** The address of the team's billing. */
  readonly path: string;
}

/** The credit, the cost of the month, and the monthly limits. */
export function Summary({ balance, limits, invoice, path }: SummaryProps): JSX.Element {
  const may = { hard: useIsOperator(), soft: useRole("owner") };
  const failed = [balance, limits, invoice].find(({ error }) => error !== null);
  const { hardSlAuto: hard, softSl: soft } = limits.value?.spendingLimits ?? {};
  const spent = invoice.value?.coreInvoice.totalWithCorr.val;
  const limit = (kind: LimitKind, cents: string | undefined) => ({
    text: limits.value === null ? null : cents === undefined ? "None" : centsToDollars(cents),
    onChange: may[kind]
      ? () =>
          openDialog(<LimitDialog path={path} kind={kind} cents={cents ?? null} onSaved={limits.reload} />)
      : undefined,
  });
  return (
    <>
      {failed?.error && <ErrorBox error={failed.error} onRetry={failed.reload} />}
      <div class="panels amounts">
        {/* The API counts credit as negative. */}
        <Amount
          title="Credit"
          text={balance.value === null ? null : centsToDollars(-BigInt(balance.value.total.val))}
        >
          {"What is left, with what is reserved for active requests."}
        </Amount>
        <Amount title="Cost of this month" text={spent === undefined ? null : centsToDollars(spent)}>
          {"Since the first of the month (UTC)."}
        </Amount>
        <Amount title="Hard limit" {...limit("hard", hard?.val)}>
          {"The operator sets it. A prepaid team spends no more in a month."}
        </Amount>
        <Amount title="Soft limit" {...limit("soft", soft?.val)}>
          {"The team sets it. It bounds use beyond credit in a month."}
        </Amount>
      </div>
    </>
  );
}

interface AmountProps {
  readonly title: string;
  /** null while it is not known. */
  readonly text: string | null;
  /** Absent where the member may not change it. */
  readonly onChange?: () => void;
  readonly children: string;
}

function Amount({ title, text, onChange, children }: AmountProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <header class="page-head">
        <h2>{title}</h2>
        {onChange && (
          <button type="button" aria-label={`Change ${title.toLowerCase()}`} onClick={onChange}>
            Change
          </button>
        )}
      </header>
      <p class="figure">{text ?? "…"}</p>
      <p class="hint">{children}</p>
    </section>
  );
}

type LimitKind = "hard" | "soft";

const kinds: Readonly<
  Record<LimitKind, { readonly title: string; readonly field: string; readonly text: string }>
> = {
  hard: {
    title: "Hard limit",
    field: "desiredHardSpendingLimit",
    text: "In each month (UTC), requests of a prepaid team that would spend more are rejected. An unmetered team is not refused.",
  },
  soft: {
    title: "Soft limit",
    field: "desiredSoftSpendingLimit",
    text: "Bounds what the team uses beyond its credit in each month (UTC); 0 means credit only.",
  },
};

interface LimitDialogProps {
  readonly path: string;
  readonly kind: LimitKind;
  /** The limit now; null: none. */
  readonly cents: string | null;
  readonly onSaved: () => void;
}

/** Asks for a monthly limit. */
function LimitDialog({ path, kind, cents, onSaved }: LimitDialogProps): JSX.Element {
  const { title, field, text: hint } = kinds[kind];
  const [text, setText] = useState(cents === null ? "" : centsField(cents));
  const save = async (): Promise<void> => {
    const limit = text.trim() === "" ? null : { val: typedCents("Limit in USD", text) };
    await send("POST", `${path}/postpaid/spending-limits`, { [field]: limit });
    onSaved();
  };
  return (
    <FormDialog title={title} action="Save" done={`The ${kind} limit is saved.`} onSubmit={save}>
      <p>{hint}</p>
      <Field
        label="Limit in USD"
        hint="No limit when it is empty."
        autofocus
        value={text}
        onValue={setText}
      />
    </FormDialog>
  );
}
