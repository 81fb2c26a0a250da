import { expect, it } from "vitest";
import { dayMs, type HostedRule, type UsageQuery } from "../../../src/accounts/money/usage-report.js";
import type { Database } from "../../../src/store/database.js";
import { createHostedPriceStore } from "../../../src/accounts/money/store/hosted-prices.js";
import { createBillingStore } from "../../../src/accounts/money/store/billing.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createSpendingStore } from "../../../src/accounts/money/store/spending-limits.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { createWrites } from "../../../src/store/writes.js";
import { createUsageStore } from "../../../src/accounts/usage/store/usage.js";
import { noBudget, type Budget } from "../../../src/accounts/budgets/budget.js";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import { aTeam } from "../../store/records.js";
import { aKey } from "../../kit/a-key.js";
import { databaseWithQueryPlans } from "../../store/query-plan.js";

function storesOf(database: Database) {
  return {
    billing: createBillingStore(database),
    ledger: createLedgerStore(database),
    runs: createRunStore(database),
    usage: createUsageStore(database),
    spending: createSpendingStore(database),
    hostedPrices: createHostedPriceStore(database),
    budgets: createBudgetStore(database),
    teams: createTeamStore(database),
    writes: createWrites(database),
  };
}

type Ask = (stores: ReturnType<typeof storesOf>) => Promise<unknown>;

/** Reads only the rows of the requested time. */
const usedBy = "SEARCH used USING PRIMARY KEY (team_id=? AND hour>? AND hour<?)";
const usedByDay = "SEARCH used USING PRIMARY KEY (team_id=? AND day>? AND day<?)";
const usedByLabel = "SEARCH used USING PRIMARY KEY (team_id=? AND kind=? AND hour>? AND hour<?)";
/** The sums of parts of the time are added up. */
const added = ["SCAN used", "USE TEMP B-TREE FOR GROUP BY"];
const spentOf =
  "SEARCH spent USING PRIMARY KEY (subject_id=? AND team_id=? AND period=? AND start_time=?) LEFT-JOIN";
const ofMonth = "SEARCH spent USING PRIMARY KEY (team_id=? AND month=?) LEFT-JOIN";
const used: UsageQuery = {
  ...{ teamId: "a", from: 1, to: 2, unit: null, by: [], hosted: [] },
  ...{ order: "time", limit: 9, ownerId: null, top: null, label: null },
};
const ofDays: UsageQuery = { ...used, from: 0, to: 2 * dayMs };
const rule: HostedRule = {
  ...{ model: "a", requestedModel: "a", from: 0, to: 1 },
  ...{ promptTicks: 1, cachedTicks: 1, completionTicks: 1 },
};

async function insertBudget(
  { teams, budgets, writes }: ReturnType<typeof storesOf>,
  subject: Budget["subject"],
  period: Budget["period"] = "month",
): Promise<void> {
  const team = aTeam();
  await teams.insert(team);
  const subjectId = subject === "team" ? team.id : "a";
  const name = { teamId: team.id, subject, subjectId, period, createTime: 1 } as const;
  await writes.commit(budgets.insertions({ ...name, ...noBudget, hardTokens: 1 }));
}

/** A budget is inserted with what its runs have used and with those that are running. */
const insertedBudget = (used: readonly string[], more: readonly string[] = []) => [
  ...["COMPOUND QUERY", "LEFT-MOST SUBQUERY", "SCAN CONSTANT ROW", "UNION ALL", ...used],
  ...["UNION ALL", "runs by runs_running (state=?)", ...more, "SCAN counted", "USE TEMP B-TREE FOR GROUP BY"],
];

/** The keys that a member has created. */
const keysOfMember = [
  ...["COMPOUND QUERY", "LEFT-MOST SUBQUERY", "api_keys by api_keys_by_team (team_id=?)", "UNION ALL"],
  "removed_keys by removed_keys_by_owner (user_id=? AND team_id=?)",
];

/** The query plan of each method; SEARCH reads only matching rows. */
const methods: Readonly<Record<string, readonly [ask: Ask, steps: readonly string[]]>> = {
  "runs.list": [
    ({ runs }) => runs.list(2),
    [
      "SCAN runs USING INDEX runs_by_creation",
      "SEARCH price_book USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    ],
  ],
  "budgets.of": [
    ({ budgets }) => budgets.of({ key: aKey(), team: aTeam() }, 1),
    [
      "SEARCH budget USING PRIMARY KEY (subject_id=? AND team_id=?)",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
      spentOf,
    ],
  ],
  "budgets.countLabels": [
    ({ budgets }) => budgets.countLabels("a"),
    ["budgets by budgets_by_team (team_id=?)"],
  ],
  "budgets.page": [
    ({ budgets }) => budgets.page({ teamId: "a", of: null, ownerId: null, after: null, limit: 2 }, 1),
    ["budget by budgets_by_team (team_id=?)", spentOf],
  ],
  "budgets.insertions of a team": [
    (stores) => insertBudget(stores, "team"),
    insertedBudget(["SEARCH usage_days USING PRIMARY KEY (team_id=? AND day>?)"]),
  ],
  "budgets.insertions of a team, of all time": [
    (stores) => insertBudget(stores, "team", "total"),
    insertedBudget(["SEARCH usage_months USING PRIMARY KEY (team_id=?)"]),
  ],
  "budgets.insertions of a key": [
    (stores) => insertBudget(stores, "key", "total"),
    insertedBudget(["usage_days by usage_days_by_key (api_key_id=? AND day>?)"]),
  ],
  "F24: budgets.insertions of a member": [
    (stores) => insertBudget(stores, "member", "total"),
    insertedBudget([
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "usage_days by usage_days_by_key (api_key_id=? AND day>?)",
      ...keysOfMember,
      "UNION ALL",
      "runs by runs_without_user (api_key_id=?)",
      ...keysOfMember,
      "UNION ALL",
      "deleted_runs by deleted_runs_without_user (api_key_id=?)",
      ...keysOfMember,
      "SCAN used",
    ]),
  ],
  "budgets.insertions of a tag": [
    (stores) => insertBudget(stores, "tag", "total"),
    insertedBudget(
      ["usage_label_hours by usage_label_hours_by_label (team_id=? AND kind=? AND label=? AND hour>?)"],
      ["SEARCH run_labels EXISTS USING PRIMARY KEY (run_id=?)", "SCAN json_each VIRTUAL TABLE INDEX 1:"],
    ),
  ],
  "budgets.keySpending": [
    ({ budgets }) => budgets.keySpending("a", 1),
    ["usage_hours by usage_hours_by_key (api_key_id=? AND hour>?)"],
  ],
  "usage.rows of a team by day": [
    ({ usage }) => usage.rows({ ...used, unit: "day" }),
    [usedBy, "USE TEMP B-TREE FOR GROUP BY", ...added],
  ],
  "usage.rows of a team by model": [
    ({ usage }) => usage.rows({ ...used, by: ["model"] }),
    [usedBy, "USE TEMP B-TREE FOR GROUP BY", ...added],
  ],
  "usage.rows of a team by key": [
    ({ usage }) => usage.rows({ ...used, by: ["key"] }),
    [
      usedBy,
      "USE TEMP B-TREE FOR GROUP BY",
      ...added,
      "api_keys by sqlite_autoindex_api_keys_1 (id=?)",
      "SEARCH removed_keys USING PRIMARY KEY (id=?)",
    ],
  ],
  "usage.rows of a team by tag": [
    ({ usage }) => usage.rows({ ...used, by: ["tag"] }),
    [usedByLabel, "USE TEMP B-TREE FOR GROUP BY", ...added],
  ],
  "usage.rows of an end user by day": [
    ({ usage }) => usage.rows({ ...used, unit: "day", label: { kind: "user", label: "ada" } }),
    [usedByLabel, "USE TEMP B-TREE FOR GROUP BY", ...added],
  ],
  "usage.rows of all teams": [
    ({ usage }) => usage.rows({ ...used, teamId: null }),
    [
      usedBy,
      "USING INDEX sqlite_autoindex_teams_1 FOR IN-OPERATOR",
      "USE TEMP B-TREE FOR GROUP BY",
      ...added,
    ],
  ],
  "usage.rows of whole days, in the order of the days": [
    ({ usage }) => usage.rows({ ...ofDays, unit: "day" }),
    [usedByDay, ...added],
  ],
  "usage.rows of days and of the hours around them": [
    ({ usage }) => usage.rows({ ...ofDays, from: 1, to: 2 * dayMs + 1, unit: "day" }),
    [
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      usedBy,
      "USE TEMP B-TREE FOR GROUP BY",
      ...["UNION ALL", usedByDay, "UNION ALL", usedBy, "USE TEMP B-TREE FOR GROUP BY"],
      ...added,
    ],
  ],
  "usage.rows of the highest groups": [
    ({ usage }) => usage.rows({ ...ofDays, unit: "day", by: ["model"], top: { count: 5, measure: "cost" } }),
    [
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "MATERIALIZE highest",
      usedByDay,
      "MATERIALIZE chosen",
      "MATERIALIZE amounts",
      usedByDay,
      "USE TEMP B-TREE FOR GROUP BY",
      ...added,
      ...["SCAN amounts", "SCAN amounts", "USE TEMP B-TREE FOR GROUP BY", "USE TEMP B-TREE FOR ORDER BY"],
      "SCAN chosen",
      "CREATE BLOOM FILTER",
      "SCAN used",
      "SEARCH chosen USING AUTOMATIC COVERING INDEX (model=?)",
      "USE TEMP B-TREE FOR GROUP BY",
      "SCAN highest",
      "USE TEMP B-TREE FOR GROUP BY",
      "UNION ALL",
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      usedByDay,
      "SCAN every",
      "UNION ALL",
      "SCAN highest",
      "SCAN remaining",
      "USE TEMP B-TREE FOR GROUP BY",
      "SCAN report",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  "usage.rows of a member's keys": [
    ({ usage }) => usage.rows({ ...used, ownerId: "a" }),
    [
      usedBy,
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "api_keys by api_keys_by_team (team_id=?)",
      "CREATE BLOOM FILTER",
      "UNION ALL",
      "removed_keys by removed_keys_by_owner (user_id=? AND team_id=?)",
      "CREATE BLOOM FILTER",
      "USE TEMP B-TREE FOR GROUP BY",
      ...added,
    ],
  ],
  "usage.rows at hosted prices": [
    ({ usage }) => usage.rows({ ...used, hosted: [rule] }),
    [
      "MATERIALIZE rules",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
      usedBy,
      "SCAN rule LEFT-JOIN",
      "USE TEMP B-TREE FOR GROUP BY",
    ],
  ],
  "usage.asked": [({ usage }) => usage.requestedModels(used, 9), [usedBy, "USE TEMP B-TREE FOR DISTINCT"]],
  "spending.find": [
    ({ spending }) => spending.find("a", 202611),
    ["SCAN CONSTANT ROW", "SCAN team", "SEARCH limits USING PRIMARY KEY (team_id=?) LEFT-JOIN", ofMonth],
  ],
  "ledger.spendable": [
    ({ ledger }) => ledger.spendable("a", 1),
    [
      "SCAN CONSTANT ROW",
      "SEARCH ledger_balances USING PRIMARY KEY (team_id=? AND account=?)",
      "SEARCH limits USING PRIMARY KEY (team_id=?)",
      ofMonth,
    ],
  ],
  "billing.balance": [
    ({ billing }) => billing.balance("a", 1, 9),
    [
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "SEARCH ledger_balances USING PRIMARY KEY (team_id=?)",
      "UNION ALL",
      "ledger_transactions by ledger_money (team_id=?)",
      "SEARCH ledger_entries USING PRIMARY KEY (transaction_id=? AND account=?)",
      "SCAN money",
      "UNION ALL",
      "SEARCH usage_days USING PRIMARY KEY (team_id=? AND day>?)",
      "SCAN days",
    ],
  ],
  "billing.month": [
    ({ billing }) => billing.month("a", 202611),
    [
      "SEARCH used USING PRIMARY KEY (team_id=? AND month=?)",
      "SEARCH price USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    ],
  ],
  "ledger.balancesOf": [
    ({ ledger }) => ledger.readBalances("a"),
    ["SEARCH ledger_balances USING PRIMARY KEY (team_id=?)"],
  ],
  "hostedPrices.list": [
    ({ hostedPrices }) => hostedPrices.list(),
    ["SCAN hosted_prices USING INDEX hosted_prices_by_alias"],
  ],
};

it.each(Object.entries(methods))("%s reads from an index", async (_, [call, expected]) => {
  const { database, steps } = await databaseWithQueryPlans();
  await call(storesOf(database));
  expect(steps).toEqual(expected);
});
