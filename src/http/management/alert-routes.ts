/** The part of the route table that manages alerts. */
import { listAlerts, listAlertsDocs } from "../admin/alerts.js";
import {
  createChannel,
  createChannelDocs,
  deleteChannel,
  deleteChannelDocs,
  listChannels,
  listChannelsDocs,
  testChannel,
  testChannelDocs,
} from "../admin/alerts/channels.js";
import { listDeliveries, listDeliveriesDocs } from "../admin/alerts/deliveries.js";
import type { HttpDeps } from "../deps.js";
import { managementRoute, withoutBody, type Route } from "../route.js";

/** Returns the routes. */
export function alertRoutes(deps: HttpDeps): readonly Route[] {
  const [all, one] = ["/admin/alerts/channels", "/admin/alerts/channels/:channelId"];
  return [
    managementRoute("GET", "/admin/alerts", "ManageAlerts", listAlerts(deps), listAlertsDocs),
    managementRoute("GET", all, "ManageAlerts", listChannels(deps), listChannelsDocs),
    managementRoute("POST", all, "ManageAlerts", createChannel(deps), createChannelDocs),
    managementRoute("DELETE", one, "ManageAlerts", deleteChannel(deps), deleteChannelDocs),
    withoutBody(managementRoute("POST", `${one}/test`, "ManageAlerts", testChannel(deps), testChannelDocs)),
    managementRoute(
      "GET",
      "/admin/alerts/deliveries",
      "ManageAlerts",
      listDeliveries(deps),
      listDeliveriesDocs,
    ),
  ];
}
