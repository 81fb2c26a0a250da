/** DELETE /admin/requests/{runId}/bodies: deletes what was kept of a request and its answer. */
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import { emptySchema } from "../../management/nothing.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

export function deleteRequestBodies({
  requestLog,
}: Pick<HttpDeps, "requestLog">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    await requestLog.removeBodies(params["runId"] ?? "", actorOf(manager));
    ctx.body = {};
  };
}

export const deleteRequestBodiesDocs: RouteDocs = {
  operation: "deleteRequestBodies",
  tag: "Accounts",
  summary: "Delete what was kept of a request and its answer",
  description: "An extension of Hearth. The request itself stays in the log.",
  params: { runId: "ID of a request." },
  answers: { 200: { description: "An empty object.", schema: emptySchema } },
};
