/** GET /admin/alerts/deliveries, an extension: the messages to channels, and what became of them. */
import type { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import { deliveriesSchema, presentDelivery } from "../../management/alerts.js";
import { parseFields } from "../../management/fields.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { alertsQuery } from "../alerts.js";

/** Lists deliveries. */
export function listDeliveries({
  alerts,
}: Pick<HttpDeps, "alerts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager }) => {
    const { teamId } = parseFields(alertsQuery, ctx.query);
    const found = await alerts.deliveries(teamId ?? null, actorOf(manager));
    const answer: z.infer<typeof deliveriesSchema> = { deliveries: found.map(presentDelivery) };
    ctx.body = answer;
  };
}

export const listDeliveriesDocs: RouteDocs = {
  operation: "listAlertDeliveries",
  tag: "Alerts",
  summary: "List the messages to channels, and what became of them",
  description:
    "An extension of Hearth. A message that its receiver does not accept is sent again, with growing pauses; after a day it is `dead`. " +
    "Messages are kept for 30 days after their end.",
  query: alertsQuery,
  answers: { 200: { description: "The deliveries.", schema: deliveriesSchema } },
  errors: ["not_found"],
};
