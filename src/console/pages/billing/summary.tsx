import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Invoice, SpendingLimits } from "../../api/billing.js";
import { centsText } from "../../lib/money.js";
import type { Resource } from "../../lib/resource.js";
import { useIsOperator, useRole, useTeam } from "../../session.js";
import { ErrorBox } from "../../parts/error-box.js";
import { LimitDialog, type LimitKind } from "./limit-dialog.js";

interface SummaryProps {
  readonly credit: Resource<bigint>;
  readonly limits: Resource<SpendingLimits>;
  readonly invoice: Resource<Invoice>;
}

/** The credit, the cost of the month, and the monthly limits. */
export function Summary({ credit, limits, invoice }: SummaryProps): JSX.Element {
  const { teamId } = useTeam();
  const [changed, setChanged] = useState<LimitKind | null>(null);
  const may = { hard: useIsOperator(), soft: useRole("owner") };
  const failed = [credit, limits, invoice].find(({ error }) => error !== null);
  const { hardSlAuto: hard, softSl: soft } = limits.value ?? {};
  const change = (kind: LimitKind): (() => void) | null => (may[kind] ? () => setChanged(kind) : null);
  const spent = invoice.value?.coreInvoice.totalWithCorr.val;
  const current = changed === "hard" ? hard : soft;
  return (
    <>
      {failed?.error && <ErrorBox error={failed.error} onRetry={failed.reload} />}
      <div class="panels amounts">
        <Figure title="Credit" text={credit.value === null ? null : centsText(credit.value)}>
          {"What is left, with what is reserved for active requests."}
        </Figure>
        <Figure title="Cost of this month" text={spent === undefined ? null : centsText(spent)}>
          {"Since the first of the month (UTC)."}
        </Figure>
        <Figure title="Hard limit" text={limitText(limits, hard)} onChange={change("hard")}>
          {"The operator sets it. A prepaid team spends no more in a month."}
        </Figure>
        <Figure title="Soft limit" text={limitText(limits, soft)} onChange={change("soft")}>
          {"The team sets it. It bounds use beyond credit in a month."}
        </Figure>
      </div>
      {changed !== null && (
        <LimitDialog
          teamId={teamId}
          kind={changed}
          cents={current?.val ?? null}
          onSaved={limits.reload}
          onClose={() => setChanged(null)}
        />
      )}
    </>
  );
}

function limitText(
  { value }: Resource<SpendingLimits>,
  limit: { readonly val: string } | undefined,
): string | null {
  if (value === null) return null;
  return limit === undefined ? "None" : centsText(limit.val);
}

interface FigureProps {
  readonly title: string;
  /** null while it is not known. */
  readonly text: string | null;
  /** null where the member may not change it; absent where nobody does. */
  readonly onChange?: (() => void) | null;
  readonly children: string;
}

function Figure({ title, text, onChange, children }: FigureProps): JSX.Element {
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
