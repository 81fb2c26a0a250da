import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { createExportStore } from "../../../src/accounts/exports/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import type { Database } from "../../../src/store/database.js";
import { aTeam } from "../../store/records.js";
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

describe("F24: a further page begins where the one before ended", () => {
  const rows = 600;
  const [from, to] = [0, 9 * 3_600_000];

  /** Returns the plans of the pages after the first one. */
  async function plansOf(
    read: (database: Database) => AsyncIterable<readonly unknown[]>,
  ): Promise<readonly string[]> {
    const { database, steps } = await databaseWithQueryPlans();
    await createTeamStore(database).insert(aTeam({ id: "a" }));
    const series = sql`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(rows)})`;
    await sql`insert into usage_hours ${series} select 'a', 3600000, 'm' || n, 'm', 'k', 1, 1, 0, 0, 1, 0, 1, 0, 0 from n`.execute(
      database.kysely,
    );
    await sql`insert into ledger_transactions (kind, team_id, create_time) ${series} select 'purchase', 'a', 5 from n`.execute(
      database.kysely,
    );
    await sql`insert into ledger_entries ${series} select n, 'credit', 1 from n`.execute(database.kysely);
    let [count, before] = [0, 0];
    for await (const page of read(database)) {
      if (count === 0) before = steps.length;
      count += page.length;
    }
    expect(count).toBe(rows);
    return [
      ...new Set(steps.slice(before).filter((step) => /^SEARCH used|ledger_transactions|SCAN/.test(step))),
    ];
  }

  it("of usage", async () => {
    expect(await plansOf((database) => createExportStore(database).usage({ ...span, from, to }))).toEqual([
      "SEARCH used USING PRIMARY KEY (team_id=? AND (hour,model,asked_model,api_key_id)>(?,?,?,?) AND hour<?)",
    ]);
  });

  it("of the ledger", async () => {
    const found = await plansOf((database) => createExportStore(database).ledger({ ...span, from, to }));
    // What is read then is the page.
    expect(found).toEqual([...plans.ledger, "SCAN made"]);
  });
});
