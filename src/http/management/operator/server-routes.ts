import type { AppContext } from "../../server/app-context.js";
import type { OperatorRoute } from "../../server/route.js";
import { listAlerts } from "../alerts/alerts.js";
import { createChannel, deleteChannel, listChannels, testChannel } from "../alerts/channels.js";
import { listDeliveries } from "../alerts/deliveries.js";
import { unloadModel } from "../models/memory.js";
import { getAdminModel } from "../models/models.js";
import { deleteRequestBodies } from "../requests/bodies.js";
import { cancelRequest } from "../requests/cancel.js";
import { getRequest, listRequests } from "../requests/requests.js";
import { modelRoutes } from "./models.js";
import { accountRoutes } from "./routes.js";
import { stopServer } from "./stop.js";

/** What commands of the operator use of a running server. */
export const operatorRoutes: readonly OperatorRoute<AppContext>[] = [
  ...accountRoutes,
  ...modelRoutes,
  getAdminModel,
  unloadModel,
  stopServer,
  // Requests
  listRequests,
  getRequest,
  deleteRequestBodies,
  cancelRequest,
  // Alerts
  listAlerts,
  listChannels,
  createChannel,
  deleteChannel,
  testChannel,
  listDeliveries,
];
