/** DELETE /admin/requests/{runId}/bodies: deletes what was kept of a request and its answer. */
import { toActor } from "../../../accounts/visibility.js";
import { emptySchema } from "../../../dialects/management/answers.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute } from "../../server/route.js";

export const deleteRequestBodies = accountRoute<AppContext>({
  method: "DELETE",
  path: "/admin/requests/:runId/bodies",
  acl: "DeleteRequestBodies",
  docs: {
    operation: "deleteRequestBodies",
    tag: "Accounts",
    summary: "Delete what was kept of a request and its answer",
    description: "An extension of Hearth. The request itself stays in the log.",
    params: { runId: "ID of a request." },
    answers: { 200: { description: "An empty object.", schema: emptySchema } },
  },
  async handle({ ctx, manager, params }, { requestLog }) {
    await requestLog.removeBodies(params["runId"] ?? "", toActor(manager));
    ctx.body = {};
  },
});
