/** GET /admin/alerts/deliveries, an extension: the messages to channels, and what became of them. */
import type { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { presentDelivery, deliverySchema } from "./present-alerts.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { AppContext } from "../../server/app-context.js";
import { accountRoute } from "../../server/route.js";
import { alertsQuery } from "./alerts.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";

const deliveriesSchema = responseObject({
  deliveries: responseArray(deliverySchema).describe("Up to 200, the newest first."),
}).meta({ id: "AlertDeliveryList" });

/** Lists deliveries. */
export const listDeliveries = accountRoute<AppContext>({
  method: "GET",
  path: "/admin/alerts/deliveries",
  acl: "ManageAlerts",
  docs: {
    operation: "listAlertDeliveries",
    tag: "Alerts",
    summary: "List the messages to channels, and what became of them",
    description:
      "An extension of Hearth. A message that its receiver does not accept is sent again, with growing pauses; after a day it is `dead`. " +
      "Messages are kept for 30 days after their end.",
    query: alertsQuery,
    answers: { 200: { description: "The deliveries.", schema: deliveriesSchema } },
    errors: ["not_found"],
  },
  async handle({ ctx, manager }, { alerts }) {
    const { teamId } = parseFields(alertsQuery, ctx.query);
    const found = await alerts.deliveries(teamId ?? null, toActor(manager));
    const answer: z.infer<typeof deliveriesSchema> = { deliveries: found.map(presentDelivery) };
    ctx.body = answer;
  },
});
