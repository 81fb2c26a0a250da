/** Adds the commands that manage accounts, with or without a running server. Their changes have the actor `cli` in the audit log. */
import type { Command } from "commander";
import type { Operator } from "../../app/operator/open.js";
import { addAuditCommand } from "./audit.js";
import { addBudgetsCommand } from "./budgets.js";
import { addCreditsCommand } from "./credits.js";
import { addExportCommand } from "./export.js";
import { addGroupsCommand } from "./groups.js";
import { addKeysCommand } from "./keys.js";
import { addLedgerCommand } from "./ledger.js";
import { addManagementKeysCommand } from "./management-keys.js";
import { addMembersCommand } from "./members.js";
import { addPricesCommand } from "./prices.js";
import { addUsageCommand } from "./usage.js";
import { operatorOpener, type AccountsIo } from "../command-helpers.js";
import { addTeamsCommand } from "./teams.js";

/**
 * Adds `keys`, `groups`, `teams`, `members`, `management-keys`, `credits`, `budgets`, `usage`, `prices compare`, `ledger`, `audit` and `export`.
 * @param open opens the interface of the operator for one command.
 */
export function addAccountCommands(
  program: Command,
  open: () => Promise<Operator>,
  io: AccountsIo & Parameters<typeof addLedgerCommand>[2],
): void {
  const using = operatorOpener(open);
  addKeysCommand(program, using, io);
  addGroupsCommand(program, using, io);
  addTeamsCommand(program, using, io);
  addMembersCommand(program, using, io);
  addManagementKeysCommand(program, using, io);
  addCreditsCommand(program, using, io);
  addBudgetsCommand(program, using, io);
  addUsageCommand(program, using, io);
  addPricesCommand(program, using, io);
  addLedgerCommand(program, using, io);
  addAuditCommand(program, using, io);
  addExportCommand(program, using, io);
}
