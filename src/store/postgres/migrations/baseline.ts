import type { Migration } from "../../migrations/migration.js";
import { accountTables } from "./account-tables.js";
import { budgetTriggers } from "./budget-triggers.js";
import { moneyTables } from "./money-tables.js";
import { timeFunctions } from "./time-functions.js";
import { usageTriggers } from "./usage-triggers.js";
import { workTables } from "./work-tables.js";

/** The version of SQLite's schema that the baseline has. */
export const baselineVersion = 30;

/** Creates everything that SQLite's migrations 1 to 30 have created. */
export const baseline: Migration = [
  ...accountTables,
  ...moneyTables,
  ...workTables,
  ...timeFunctions,
  ...usageTriggers,
  ...budgetTriggers,
];
