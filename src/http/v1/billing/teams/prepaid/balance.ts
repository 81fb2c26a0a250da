/** GET /v1/billing/teams/{teamId}/prepaid/balance: a team's credit and its changes. */
import type { z } from "zod";
import { actorOf } from "../../../../../accounts/audit/actors.js";
import type { BalanceChange } from "../../../../../accounts/money/balance-change.js";
import { responseObject, responseArray } from "../../../../../dialects/response-fields.js";
import type { HttpDeps } from "../../../../deps.js";
import { balanceChange } from "../../../../management/balance-change.js";
import { cents, centsOfEach, centsUp } from "../../../../management/cents.js";
import type { ManagementCall } from "../../../../route.js";
import type { RouteDocs } from "../../../../route-docs.js";
import { timestamp } from "../../../../management/timestamp.js";

const balanceSchema = responseObject({
  changes: responseArray(balanceChange).describe(
    "Newest first: the last 1000 purchases, refunds and corrections, and the spending of each of the last 100 days (UTC). Older " +
      "spending is one change of the origin SPEND, older payments are one of the origin MANUAL.",
  ),
  total: cents.describe(
    "Sum of all changes; negative while credit remains. Credit reserved for running requests is not subtracted.",
  ),
}).meta({ id: "PrepaidBalance" });

/** Returns the balance. */
export function getPrepaidBalance({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    const teamId = params["teamId"] ?? "";
    const { changes, totalTicks } = await accounts.billing.balance(teamId, actorOf(manager));
    // From the oldest, so that an amount does not depend on later changes.
    const amounts = centsOfEach(changes.map(({ ticks }) => -ticks).toReversed()).toReversed();
    const answer: z.infer<typeof balanceSchema> = {
      changes: changes.map((change, at) => present(teamId, change, amounts[at] ?? "0")),
      total: { val: centsUp(-totalTicks) },
    };
    ctx.body = answer;
  };
}

export const getPrepaidBalanceDocs: RouteDocs = {
  operation: "getPrepaidBalance",
  tag: "Billing",
  summary: "Get the credit of a team and its changes",
  description:
    "Amounts are in cents; negative amounts are credit. The total is rounded up, so that it never overstates credit, and the " +
    "changes sum to it: each is less than one cent from its exact amount. `hearth usage` and `hearth credits show` report exact " +
    "amounts.",
  params: { teamId: "Id of a team that the management key may manage." },
  answers: { 200: { description: "The balance.", schema: balanceSchema } },
};

const origins = { purchase: "PURCHASE", refund: "REFUND", adjust: "MANUAL", spend: "SPEND" } as const;

function present(
  teamId: string,
  { origin, time }: BalanceChange,
  val: string,
): z.infer<typeof balanceChange> {
  return {
    teamId,
    changeOrigin: origins[origin],
    ...(origin === "purchase" ? { topupStatus: "SUCCEEDED" as const } : {}),
    amount: { val },
    createTime: timestamp(time),
  };
}
