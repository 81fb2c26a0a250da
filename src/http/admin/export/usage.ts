/** GET /admin/export/usage, an extension. */
import type { HttpDeps } from "../../deps.js";
import { exportDocs, exportRows } from "../../management/export.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

export function exportUsage(deps: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return exportRows(deps, "usage");
}

export const exportUsageDocs: RouteDocs = exportDocs(
  "usage",
  "exportUsage",
  "A row for each hour, team, model, name that the model was asked by, and key.",
);
