import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cliActor } from "../../../../src/accounts/audit/actors.js";
import { noUsage } from "../../../../src/core/usage.js";
import { centsOfEach, centsUp } from "../../../../src/http/management/billing/cents.js";
import { aRun } from "../../../store/records.js";
import { parseMessage } from "./published-messages.js";
import type { Answer } from "../../../kit/server/management.js";
import { world } from "./world.js";

describe("the invoice preview", () => {
  it("returns this month's usage by model and unit in cents, and the credit before and after it", async () => {
    const { billing, topUp, used, limits, teamId, clock } = await world();
    await topUp("500");
    await used();
    clock.jump(Date.UTC(2026, 11, 2) - clock.now());
    const { prompt_tokens: prompt, completion_tokens: completion } = await used();
    await used();
    await limits.change(teamId, { hard: "7" }, cliActor);
    const line = (unitType: string, unitPrice: string, units: number, amount: string) => ({
      ...{ clusterName: "local", description: "hearth-tiny-5m" },
      ...{ unitType, unitPrice, numUnits: String(units), amount },
    });
    expect(await billing("GET", "postpaid/invoice/preview")).toEqual({
      status: 200,
      body: {
        coreInvoice: {
          lines: [
            line("Completion text tokens", "400", 2 * completion, "1"),
            line("Prompt text tokens", "100", 2 * prompt, "0"),
          ],
          amountBeforeVat: "1",
          vatCost: "0",
          amountAfterVat: "1",
          autoCreditsIssued: "0",
          defaultCreditsIssued: "0",
          totalWithCorr: { val: "1" },
          prepaidCredits: { val: "-500" },
          prepaidCreditsUsed: { val: "-1" },
        },
        effectiveSpendingLimit: "700",
        defaultCredits: "0",
        billingCycle: { year: 2026, month: 12 },
      },
    });
  });

  it("bills images as images, and usage counts them", async () => {
    const { billing, teamId, stores, clock, credits } = await world();
    await credits.change("purchase", teamId, { usd: "1", note: null }, cliActor);
    const imageTicks = 700_000_000;
    const drawn = aRun({
      ...{ id: "drawn", teamId, model: "painter", state: "completed", startTime: clock.now(), endTime: 1 },
      ...{ usage: { ...noUsage, images: 3 }, costTicks: 3 * imageTicks },
      prices: {
        promptTextTokenTicks: 0,
        cachedPromptTextTokenTicks: 0,
        completionTextTokenTicks: 0,
        imageTicks,
      },
    });
    await stores.runs.insert(drawn, []);
    const { body } = await billing("GET", "postpaid/invoice/preview");
    expect(body).toMatchObject({
      coreInvoice: {
        lines: [
          {
            description: "painter",
            unitType: "Generated image",
            unitPrice: "700000000",
            numUnits: "3",
            amount: "21",
          },
        ],
        totalWithCorr: { val: "21" },
      },
    });
    const counted = await billing("POST", "usage", {
      analyticsRequest: {
        timeRange: { startTime: "2026-11-21 00:00:00", endTime: "2026-11-22 00:00:00" },
        timeUnit: "TIME_UNIT_NONE",
        values: [{ name: "images", aggregation: "AGGREGATION_SUM" }],
      },
    });
    expect(counted.body).toMatchObject({ timeSeries: [{ dataPoints: [{ values: [3] }] }] });
  });
});

it("cents of amounts sum to the rounded sum of the amounts, each less than a cent from its own", () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), { maxLength: 50 }),
      (amounts) => {
        const cents = centsOfEach(amounts).map(BigInt);
        const total = amounts.reduce((sum, each) => sum + each, 0n);
        expect(String(cents.reduce((sum, each) => sum + each, 0n))).toBe(centsUp(total));
        for (const [at, each] of amounts.entries()) {
          const difference = (cents[at] ?? 0n) * 100_000_000n - each;
          expect(difference < 100_000_000n && difference > -100_000_000n).toBe(true);
        }
      },
    ),
  );
});

it("every billing answer parses with the published protobuf definitions, and sums agree", async () => {
  const { billing, topUp, used, limits, teamId } = await world();
  const parsed = async (message: string, answer: Promise<Answer>) => {
    const { status, body } = await answer;
    expect(status).toBe(200);
    return parseMessage(message, body);
  };
  await parsed("GetAmountToPayResp", billing("GET", "postpaid/invoice/preview"));
  await parsed("GetSpendingLimitsResp", billing("GET", "postpaid/spending-limits"));
  await parsed("TopUpOrGetExistingPendingChangeResp", topUp("500"));
  await used();
  await limits.change(teamId, { hard: "7" }, cliActor);
  const desired = { desiredSoftSpendingLimit: { val: 300 } };
  await parsed("SetSoftSpendingLimitResp", billing("POST", "postpaid/spending-limits", desired));
  await parsed("GetSpendingLimitsResp", billing("GET", "postpaid/spending-limits"));
  const balance = (await parsed("ListPrepaidBalanceChangesResp", billing("GET", "prepaid/balance"))) as {
    readonly changes: readonly { readonly amount: { readonly val: bigint } }[];
    readonly total: { readonly val: bigint };
  };
  expect(balance.changes.reduce((sum, { amount }) => sum + amount.val, 0n)).toBe(balance.total.val);
  const { coreInvoice } = (await parsed(
    "GetAmountToPayResp",
    billing("GET", "postpaid/invoice/preview"),
  )) as {
    readonly coreInvoice: {
      readonly lines: readonly { readonly amount: bigint }[];
      readonly [field: string]: unknown;
    };
  };
  const total = coreInvoice.lines.reduce((sum, { amount }) => sum + amount, 0n);
  expect(coreInvoice).toMatchObject({ totalWithCorr: { val: total }, amountAfterVat: total });
  const { prepaidCredits, prepaidCreditsUsed } = coreInvoice as unknown as Record<string, { val: bigint }>;
  expect((prepaidCredits?.val ?? 0n) - (prepaidCreditsUsed?.val ?? 0n)).toBe(balance.total.val);
  const analyticsRequest = {
    timeRange: { startTime: "2026-11-21 00:00:00", endTime: "2026-11-22 00:00:00", timezone: "Etc/GMT" },
    timeUnit: "TIME_UNIT_DAY",
    values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
    groupBy: ["description"],
    filters: [],
  };
  await parsed("AnalyticsResponse", billing("POST", "usage", { analyticsRequest, team_id: teamId }));
});
