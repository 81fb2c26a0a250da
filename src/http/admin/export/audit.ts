/** GET /admin/export/audit, an extension. */
import type { HttpDeps } from "../../deps.js";
import { exportDocs, exportRows } from "../../management/export.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

export function exportAudit(deps: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return exportRows(deps, "audit");
}

export const exportAuditDocs: RouteDocs = exportDocs(
  "audit",
  "exportAudit",
  "A row for each event, by time, with the object before and after the change as JSON.",
);
