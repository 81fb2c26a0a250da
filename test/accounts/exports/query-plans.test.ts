import { expect, it } from "vitest";
import { createExportStore } from "../../../src/accounts/exports/store.js";
import { databaseWithQueryPlans } from "../../store/query-plan.js";

const span = { teamId: "a", ownerId: null, from: 1, to: 2 };

/** Nothing sorts more than a page. */
const plans = {
  usage: ["SEARCH used USING PRIMARY KEY (team_id=? AND hour>? AND hour<?)"],
  ledger: [
    "ledger_transactions by ledger_transactions_by_team (team_id=? AND create_time>? AND create_time<?)",
  ],
} as const;

it.each(["usage", "ledger"] as const)("an export of %s reads each page from an index", async (kind) => {
  const { database, steps } = await databaseWithQueryPlans();
  for await (const page of createExportStore(database)[kind](span)) expect(page).toEqual([]);
  expect(steps.filter((step) => /used|by_team|runs|ledger_t/.test(step))).toEqual(plans[kind]);
});
