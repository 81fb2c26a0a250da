/** GET /admin/alerts, an extension: the alerts that go on, and those of the last days. */
import { z } from "zod";
import { actorOf } from "../../accounts/visibility.js";
import type { HttpDeps } from "../deps.js";
import { alertsSchema, presentAlert } from "../management/alerts.js";
import { parseFields } from "../management/fields.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

export const alertsQuery = z.object({ teamId: z.string().nullish().describe("Only those of this team.") });

/** Lists alerts. */
export function listAlerts({ alerts }: Pick<HttpDeps, "alerts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager }) => {
    const { teamId } = parseFields(alertsQuery, ctx.query);
    const found = await alerts.list(teamId ?? null, actorOf(manager));
    const answer: z.infer<typeof alertsSchema> = { alerts: found.map(presentAlert) };
    ctx.body = answer;
  };
}

export const listAlertsDocs: RouteDocs = {
  operation: "listAlerts",
  tag: "Alerts",
  summary: "List alerts",
  description:
    "An extension of Hearth. An alert is kept for 30 days after it was resolved. A management key for one team lists those of the " +
    "team; one for all teams also those of the server.",
  query: alertsQuery,
  answers: { 200: { description: "The alerts.", schema: alertsSchema } },
  errors: ["not_found"],
};
