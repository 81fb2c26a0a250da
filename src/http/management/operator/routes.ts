import type { OperatorRoute } from "../../server/route.js";
import {
  createAccessGroup,
  deleteAccessGroup,
  listAccessGroups,
  updateAccessGroup,
} from "../access-groups.js";
import { listBudgets, updateBudget } from "../billing/budgets.js";
import { exportAudit, exportLedger, exportUsage } from "../exports.js";
import { deleteApiKey, updateApiKey } from "../keys/keys.js";
import { rotateApiKey } from "../keys/rotate.js";
import { deleteMember, updateMember } from "../members/members.js";
import { listTeamLimits, updateTeamLimits } from "../teams/limits.js";
import { listTeams, updateTeam } from "../teams/teams.js";
import { listNewestEvents, reportUsage, checkLedger } from "./books.js";
import { changeCredits, changeSpendingLimits, listCredits } from "./credits.js";
import { findNamed } from "./find.js";
import { deleteHostedPrice, listHostedPrices, setHostedPrice } from "./hosted-prices.js";
import { createOperatorKey, listOperatorKeys } from "./keys.js";
import { createManagementKey, deleteManagementKey, listManagementKeys } from "./management-keys.js";
import { createOperatorLink, createOperatorMember, listOperatorMembers } from "./members.js";
import { createOperatorTeam } from "./teams.js";

/** What commands about accounts use: routes of management keys, and what no key opens. */
export const accountRoutes: readonly OperatorRoute[] = [
  findNamed,
  // Keys
  createOperatorKey,
  listOperatorKeys,
  updateApiKey,
  deleteApiKey,
  rotateApiKey,
  createManagementKey,
  listManagementKeys,
  deleteManagementKey,
  // Teams
  createOperatorTeam,
  listTeams,
  updateTeam,
  listTeamLimits,
  updateTeamLimits,
  // Access groups
  listAccessGroups,
  createAccessGroup,
  updateAccessGroup,
  deleteAccessGroup,
  // Members
  createOperatorMember,
  listOperatorMembers,
  updateMember,
  deleteMember,
  createOperatorLink,
  // Money
  listBudgets,
  updateBudget,
  changeCredits,
  listCredits,
  changeSpendingLimits,
  setHostedPrice,
  listHostedPrices,
  deleteHostedPrice,
  reportUsage,
  checkLedger,
  // Log and exports
  listNewestEvents,
  exportUsage,
  exportLedger,
  exportAudit,
];
