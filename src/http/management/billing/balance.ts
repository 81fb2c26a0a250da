/** GET /v1/billing/teams/{teamId}/prepaid/balance: a team's credit and its changes. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import type { BalanceChange } from "../../../accounts/money/balance-change.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { balanceChange, type WireBalanceChange } from "./balance-change.js";
import { cents, centsOfEach, centsUp } from "./cents.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { createPages, encodePageToken } from "../../../dialects/management/pages.js";
import { managementRoute } from "../../server/route.js";
import { timestamp } from "../../../dialects/management/answers.js";

const pages = createPages(z.number().int().min(0));

const querySchema = z.object({
  pageSize: pages.query.pageSize.describe("An extension: changes on a page; 0 or absent means all."),
  paginationToken: pages.query.paginationToken.describe("An extension: token from the previous page."),
});

const balanceSchema = responseObject({
  changes: responseArray(balanceChange).describe(
    "Newest first: the last 1000 purchases, refunds and corrections, and the spending of each of the last 100 days (UTC). Older " +
      "spending is one change of the origin SPEND, older payments are one of the origin MANUAL.",
  ),
  total: cents.describe(
    "Sum of all changes; negative while credit remains. Credit reserved for running requests is not subtracted.",
  ),
  ...pages.answer,
}).meta({ id: "PrepaidBalance" });

export type WireBalance = z.infer<typeof balanceSchema>;

/** Returns the balance. */
export const getPrepaidBalance = managementRoute({
  method: "GET",
  path: "/v1/billing/teams/:teamId/prepaid/balance",
  acl: "BillingRead",
  docs: {
    operation: "getPrepaidBalance",
    tag: "Billing",
    summary: "Get the credit of a team and its changes",
    description:
      "Amounts are in cents; negative amounts are credit. The total is rounded up, so that it never overstates credit, and the " +
      "changes sum to it: each is less than one cent from its exact amount. `hearth usage` and `hearth credits ls` report exact " +
      "amounts.",
    params: { teamId: "Id of a team that the management key may manage." },
    query: querySchema,
    answers: { 200: { description: "The balance.", schema: balanceSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const query = parseFields(querySchema, ctx.query);
    const teamId = params["teamId"] ?? "";
    const { changes, totalTicks } = await accounts.billing.balance(teamId, toActor(manager));
    // From the oldest, so that an amount does not depend on later changes.
    const amounts = centsOfEach(changes.map(({ ticks }) => -ticks).toReversed()).toReversed();
    const presented = changes.map((change, at) => present(teamId, change, amounts[at] ?? "0"));
    // Counted from the oldest, so that a new change moves no page.
    const { limit, after } = pages.read(query);
    const start = after === null ? 0 : Math.max(0, presented.length - after[1]);
    const end = start + limit;
    const left = presented.length - end;
    const answer: WireBalance = {
      changes: presented.slice(start, end),
      total: { val: centsUp(-totalTicks) },
      paginationToken: left > 0 ? encodePageToken([0, left]) : undefined,
    };
    ctx.body = answer;
  },
});

const origins = { purchase: "PURCHASE", refund: "REFUND", adjust: "MANUAL", spend: "SPEND" } as const;

function present(teamId: string, { origin, time }: BalanceChange, val: string): WireBalanceChange {
  return {
    teamId,
    changeOrigin: origins[origin],
    topupStatus: origin === "purchase" ? "SUCCEEDED" : undefined,
    amount: { val },
    createTime: timestamp(time),
  };
}
