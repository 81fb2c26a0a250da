/** Billing: credit and its changes, monthly limits, the invoice of the month, and budgets. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { getCredit, getInvoice, getSpendingLimits, listChanges } from "../../api/billing.js";
import { usePages, useResource } from "../../lib/resource.js";
import { useIsOperator, useTeam } from "../../session.js";
import { PageHead } from "../../parts/page-head.js";
import { Budgets } from "./budgets.js";
import { Changes } from "./changes.js";
import { CreditDialog } from "./credit-dialog.js";
import { InvoicePreview } from "./invoice.js";
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
