/** GET /admin/export/ledger, an extension. */
import type { HttpDeps } from "../../deps.js";
import { exportDocs, exportRows } from "../../management/export.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

export function exportLedger(deps: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return exportRows(deps, "ledger");
}

export const exportLedgerDocs: RouteDocs = exportDocs(
  "ledger",
  "exportLedger",
  "A row for each entry of each transaction; the entries of a transaction sum to 0.",
);
