import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Invoice, type SpendingLimits, setSpendingLimit } from "../../api/billing.js";
import { centsText, centsField, typedCents } from "../../lib/money.js";
import type { Resource } from "../../lib/resource.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { showToast } from "../../parts/toast.js";
import { useIsOperator, useRole, useTeam } from "../../session.js";
import { ErrorBox } from "../../parts/error-box.js";

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

type LimitKind = "hard" | "soft";

interface LimitDialogProps {
  readonly teamId: string;
  readonly kind: LimitKind;
  /** The limit now; null: none. */
  readonly cents: string | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const texts: Readonly<Record<LimitKind, string>> = {
  hard: "In each month (UTC), requests of a prepaid team that would spend more are rejected. An unmetered team is not refused.",
  soft: "Bounds what the team uses beyond its credit in each month (UTC); 0 means credit only.",
};

/** Asks for a monthly limit. */
function LimitDialog({ teamId, kind, cents, onSaved, onClose }: LimitDialogProps): JSX.Element {
  const [text, setText] = useState(cents === null ? "" : centsField(cents));
  const save = async (): Promise<void> => {
    await setSpendingLimit(teamId, kind, text.trim() === "" ? null : typedCents("Limit in USD", text));
    showToast(`The ${kind} limit is saved.`);
    onSaved();
    onClose();
  };
  return (
    <Dialog title={kind === "hard" ? "Hard limit" : "Soft limit"} onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <p>{texts[kind]}</p>
        <Field
          label="Limit in USD"
          hint="No limit when it is empty."
          autofocus
          value={text}
          onValue={setText}
        />
      </Form>
    </Dialog>
  );
}
