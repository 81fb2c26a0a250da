/** GET /admin/alerts, an extension: the alerts that go on, and the alerts of the last days. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { alertsSchema, type WireAlert } from "./present-alerts.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute } from "../../server/route.js";
import type { Alert } from "../../../jobs/alerts/alert.js";
import { timestamp } from "../../../dialects/management/answers.js";

export const alertsQuery = z.object({ teamId: z.string().nullish().describe("Only alerts of this team.") });

/** Lists alerts. */
export const listAlerts = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/alerts",
  acl: "ManageAlerts",
  docs: {
    operation: "listAlerts",
    tag: "Alerts",
    summary: "List alerts",
    description:
      "An extension of Hearth. An alert is kept for 30 days after it was resolved. A management key for one team lists the alerts of " +
      "the team; one for all teams also lists the alerts of the server.",
    query: alertsQuery,
    answers: { 200: { description: "The alerts.", schema: alertsSchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager }, { alerts }) {
    const { teamId } = parseFields(alertsQuery, ctx.query);
    const found = await alerts.list(teamId ?? null, toActor(manager));
    const answer: z.infer<typeof alertsSchema> = { alerts: found.map(presentAlert) };
    ctx.body = answer;
  },
});

/** Presents an alert. */
function presentAlert(alert: Alert): WireAlert {
  const { teamId, resolveTime } = alert;
  return {
    alertId: alert.id,
    kind: alert.kind,
    teamId: teamId ?? undefined,
    message: alert.message,
    details: { ...alert.details },
    raisedTime: timestamp(alert.raiseTime),
    sentTime: timestamp(alert.sendTime),
    resolvedTime: timestamp(resolveTime),
  };
}
