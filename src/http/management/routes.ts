import {
  listAccessGroups,
  createAccessGroup,
  getAccessGroup,
  updateAccessGroup,
  deleteAccessGroup,
} from "./access-groups.js";
import { listAlerts } from "./alerts/alerts.js";
import { listChannels, createChannel, deleteChannel, testChannel } from "./alerts/channels.js";
import { listDeliveries } from "./alerts/deliveries.js";
import { listAuditEvents } from "./audit-events.js";
import { getPrepaidBalance } from "./billing/balance.js";
import { listBudgets, updateBudget } from "./billing/budgets.js";
import { getInvoicePreview } from "./billing/invoice-preview.js";
import { getSpendingLimits, updateSpendingLimit } from "./billing/spending-limits.js";
import { createTopUp } from "./billing/top-up.js";
import { getUsage } from "./billing/usage.js";
import { getDoctor } from "./doctor.js";
import { exportAudit, exportLedger, exportUsage } from "./exports.js";
import { updateApiKey, deleteApiKey } from "./keys/keys.js";
import { getApiKeyPropagation } from "./keys/propagation.js";
import { rotateApiKey } from "./keys/rotate.js";
import { createApiKey, listApiKeys } from "./keys/team-keys.js";
import { getManagementKey } from "./management-key.js";
import { updateMember, deleteMember } from "./members/members.js";
import { createSignInLink } from "./members/sign-in-links.js";
import { createMember, listMembers } from "./members/team-members.js";
import { loadModel, unloadModel } from "./models/memory.js";
import { listAdminModels, getAdminModel, deleteAdminModel, updateAdminModel } from "./models/models.js";
import { createPull, listPulls, getPull, cancelPull } from "./models/pulls.js";
import { getOverview } from "./overview.js";
import { deleteRequestBodies } from "./requests/bodies.js";
import { cancelRequest } from "./requests/cancel.js";
import { listRequests, getRequest } from "./requests/requests.js";
import { storedRoutes } from "./stored/routes.js";
import { listTeamEndpoints } from "./teams/endpoints.js";
import { listTeamLimits, updateTeamLimits } from "./teams/limits.js";
import { listTeamModels } from "./teams/models.js";
import { createTeam, listTeams, updateTeam } from "./teams/teams.js";
import type { Route } from "../server/route.js";

/** What management keys open: accounts, billing and the administration of the server. */
export const managementRoutes: readonly Route[] = [
  // Keys
  createApiKey,
  listApiKeys,
  updateApiKey,
  deleteApiKey,
  rotateApiKey,
  getApiKeyPropagation,
  getManagementKey,
  // Teams
  createTeam,
  listTeams,
  updateTeam,
  listTeamModels,
  listTeamLimits,
  updateTeamLimits,
  listTeamEndpoints,
  listAuditEvents,
  // Budgets
  listBudgets,
  updateBudget,
  // Access groups
  listAccessGroups,
  createAccessGroup,
  getAccessGroup,
  updateAccessGroup,
  deleteAccessGroup,
  // Members
  createMember,
  listMembers,
  updateMember,
  deleteMember,
  createSignInLink,
  // Billing
  getPrepaidBalance,
  createTopUp,
  getSpendingLimits,
  updateSpendingLimit,
  getInvoicePreview,
  getUsage,
  // Pulls, before models: names of models may contain slashes
  createPull,
  listPulls,
  getPull,
  cancelPull,
  // Models
  loadModel,
  unloadModel,
  listAdminModels,
  getAdminModel,
  deleteAdminModel,
  updateAdminModel,
  // Requests
  listRequests,
  getRequest,
  deleteRequestBodies,
  cancelRequest,
  // What teams have stored
  ...storedRoutes,
  // Exports
  exportUsage,
  exportLedger,
  exportAudit,
  // Alerts
  listAlerts,
  listChannels,
  createChannel,
  deleteChannel,
  testChannel,
  listDeliveries,
  // The server
  getDoctor,
  getOverview,
];
