import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { cliActor } from "../../../../src/accounts/audit/actors.js";
import { ticksToUsd } from "../../../../src/core/money.js";
import { maxCostTicks } from "../../../kit/ledger.js";
import { startServer } from "../../../kit/server.js";
import { dayMs } from "../../../kit/server/management.js";
import { world, complete } from "./world.js";

describe("prepaid credit", () => {
  it("is available when a top-up returns, and the balance is the negative remainder with its changes", async () => {
    const { billing, topUp, used, credits, teamId, clock } = await world();
    expect((await billing("GET", "prepaid/balance")).body).toEqual({ changes: [], total: { val: "0" } });
    const bought = { teamId, changeOrigin: "PURCHASE", topupStatus: "SUCCEEDED", amount: { val: "-500" } };
    const noon = "2026-11-21T12:00:00.000000Z";
    expect(await topUp("500")).toEqual({ status: 200, body: { change: { ...bought, createTime: noon } } });
    const { cost_in_usd_ticks: cost } = await used();
    clock.jump(dayMs);
    await used();
    clock.advance(1);
    await credits.change("refund", teamId, { usd: "1.005", note: null }, cliActor);
    clock.advance(1);
    await credits.change("adjust", teamId, { usd: "-0.995", note: null }, cliActor);
    expect(cost).toBeLessThan(100_000_000);
    expect((await billing("GET", "prepaid/balance")).body).toEqual({
      changes: [
        { teamId, changeOrigin: "MANUAL", amount: { val: "100" }, createTime: "2026-11-22T12:00:00.002000Z" },
        { teamId, changeOrigin: "REFUND", amount: { val: "100" }, createTime: "2026-11-22T12:00:00.001000Z" },
        { teamId, changeOrigin: "SPEND", amount: { val: "0" }, createTime: "2026-11-22T00:00:00.000000Z" },
        { ...bought, createTime: noon },
        { teamId, changeOrigin: "SPEND", amount: { val: "1" }, createTime: "2026-11-21T00:00:00.000000Z" },
      ],
      total: { val: "-299" },
    });
  });

  it("shows no spending of a team that spends no credit", async () => {
    const server = await startServer({ accounts: "managed" });
    expect((await complete(server, server.apiKey)).status).toBe(200);
    const [first] = await server.stores.teams.list();
    const answer = await server.request("GET", `/v1/billing/teams/${first?.id}/prepaid/balance`);
    expect(answer.body).toEqual({ changes: [], total: { val: "0" } });
  });

  it("is added by a top-up of any sign, as the hosted service does", async () => {
    const { topUp, billing } = await world();
    for (const val of ["-500", "200"])
      expect(await topUp(val)).toMatchObject({
        status: 200,
        body: { change: { amount: { val: `-${val.replace("-", "")}` } } },
      });
    expect((await billing("GET", "prepaid/balance")).body).toMatchObject({ total: { val: "-700" } });
  });

  it("shows everything that is too old to be listed as one change of payments and one of spending", async () => {
    const { billing, topUp, used, clock, database, teamId } = await world();
    await topUp("500");
    const { cost_in_usd_ticks: cost } = await used();
    await sql`insert into ledger_transactions (kind, team_id, create_time)
      select 'purchase', ${teamId}, ${clock.now() + 1} from (with recursive n (i) as (values (1) union all select i + 1 from n where i < 1000) select i from n)`.execute(
      database.kysely,
    );
    for (const [account, ticks] of Object.entries({ credit: 1_000_000, purchases: -1_000_000 }))
      await sql`insert into ledger_entries select id, ${account}, ${ticks} from ledger_transactions
        where create_time = ${clock.now() + 1}`.execute(database.kysely);
    clock.jump(101 * dayMs);
    const { body } = await billing("GET", "prepaid/balance");
    const { changes, total } = body as {
      readonly changes: readonly {
        readonly changeOrigin: string;
        readonly amount: { readonly val: string };
      }[];
      readonly total: { readonly val: string };
    };
    expect(changes.slice(1000).map(({ changeOrigin, amount }) => [changeOrigin, amount.val])).toEqual([
      ["SPEND", "1"],
      ["MANUAL", "-500"],
    ]);
    expect(cost).toBeLessThan(1_000_000);
    expect(total.val).toBe("-509");
    expect(changes.reduce((sum, { amount }) => sum + Number(amount.val), 0)).toBe(-509);
  });

  it("cannot be topped up with a key for one team, by zero, or beyond the largest amount", async () => {
    const { billing, topUp } = await world();
    const refused = await billing("POST", "prepaid/top-up", { amount: { val: "500" } });
    expect(refused).toMatchObject({ status: 403, body: { code: 7 } });
    for (const val of ["0", "-0", "9007199254740991", "-9007199254740991"])
      expect(await topUp(val)).toMatchObject({ status: 400, body: { message: /^amount must/ } });
    expect((await topUp("90071900")).status).toBe(200);
    expect(await topUp("90071900")).toMatchObject({ status: 400 });
  });
});

describe("the changes of the credit", () => {
  it("are returned in pages, which a later change does not move", async () => {
    const { billing, topUp, clock } = await world();
    for (const val of ["100", "200", "300"]) {
      await topUp(val);
      clock.jump(1000);
    }
    type Page = {
      readonly changes: readonly { readonly amount: { readonly val: string } }[];
      readonly total: { readonly val: string };
      readonly paginationToken?: string;
    };
    const page = async (query: string) => (await billing("GET", `prepaid/balance?${query}`)).body as Page;
    const amounts = ({ changes }: Page) => changes.map(({ amount }) => amount.val);
    const first = await page("pageSize=2");
    expect([amounts(first), first.total.val]).toEqual([["-300", "-200"], "-600"]);
    await topUp("400");
    const second = await page(`pageSize=2&paginationToken=${first.paginationToken}`);
    expect([amounts(second), second.paginationToken]).toEqual([["-100"], undefined]);
    expect(amounts(await page(""))).toEqual(["-400", "-300", "-200", "-100"]);
    expect(await billing("GET", "prepaid/balance?paginationToken=!")).toMatchObject({ status: 400 });
  });
});

describe("spending limits", () => {
  it("the hard one is set by the operator, and refused to a key for one team", async () => {
    const server = await world();
    const { billing, teamId } = server;
    const path = "postpaid/spending-limits";
    const hard = { desiredHardSpendingLimit: { val: "1250" } };
    expect(await billing("POST", path, hard)).toMatchObject({ status: 403 });
    const asked = (body: object) => server.request("POST", `/v1/billing/teams/${teamId}/${path}`, body);
    expect((await asked(hard)).body).toEqual({ thisBpHardSpendingLimit: { val: "1250" } });
    expect((await billing("GET", path)).body).toMatchObject({
      spendingLimits: { hardSlAuto: { val: "1250" } },
    });
    expect((await asked({ desiredHardSpendingLimit: null })).body).toEqual({});
    expect((await billing("GET", path)).body).toEqual({ spendingLimits: {} });
  });

  it("are returned; a team sets only its own limit, the operator the other", async () => {
    const { billing, limits, teamId } = await world();
    const path = "postpaid/spending-limits";
    expect((await billing("GET", path)).body).toEqual({ spendingLimits: {} });
    expect((await billing("POST", path, { desired_soft_spending_limit: { val: 5000 } })).body).toEqual({
      thisBpSoftSpendingLimit: { val: "5000" },
    });
    const team = { id: "a team's own key", userId: "member", teamId };
    await expect(limits.change(teamId, { hard: "1" }, team)).rejects.toMatchObject({
      kind: "permission_denied",
    });
    await limits.change(teamId, { hard: "20.009" }, cliActor);
    const hard = { hardSlAuto: { val: "2000" }, effectiveHardSl: { val: "2000" } };
    expect((await billing("GET", path)).body).toEqual({
      spendingLimits: { ...hard, softSl: { val: "5000" }, effectiveSl: { val: "2000" } },
    });
    expect((await billing("POST", path, { desiredSoftSpendingLimit: null })).body).toEqual({});
    expect((await billing("GET", path)).body).toEqual({
      spendingLimits: { ...hard, effectiveSl: { val: "2000" } },
    });
  });

  it("of the team never bound the use of prepaid credit, and 0 means that nothing else is used", async () => {
    const { billing, topUp, chat } = await world();
    await topUp("500");
    for (const val of ["0", "1"]) {
      await billing("POST", "postpaid/spending-limits", { desiredSoftSpendingLimit: { val } });
      expect((await chat()).status).toBe(200);
    }
    const withoutCredit = await world();
    const path = "postpaid/spending-limits";
    await withoutCredit.billing("POST", path, { desiredSoftSpendingLimit: { val: "0" } });
    expect((await withoutCredit.chat()).status).toBe(403);
  });

  it("of the operator apply from the next request to the end of the month", async () => {
    const { topUp, chat, used, limits, teamId, clock } = await world();
    await topUp("500");
    const { cost_in_usd_ticks: spent } = await used();
    await limits.change(teamId, { hard: "0" }, cliActor);
    const refused = await chat();
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain(
      `Your team ${teamId} has either used all available credits or reached its monthly spending limit. ` +
        "To continue making API requests, please have its limit raised",
    );
    const bounded = (ticks: number) => limits.change(teamId, { hard: ticksToUsd(BigInt(ticks)) }, cliActor);
    await bounded(spent + maxCostTicks - 1);
    expect((await chat()).status).toBe(403);
    await bounded(spent + maxCostTicks);
    expect((await chat()).status).toBe(200);
    await bounded(maxCostTicks);
    expect((await chat()).status).toBe(403);
    clock.jump(Date.UTC(2026, 11, 1) - clock.now());
    expect((await chat()).status).toBe(200);
  });
});
