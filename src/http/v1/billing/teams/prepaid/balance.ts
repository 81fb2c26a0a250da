/** GET /v1/billing/teams/{teamId}/prepaid/balance: a team's credit, and how it came to be that. */
import type { z } from "zod";
import { actorOf } from "../../../../../accounts/audit/actors.js";
import type { BalanceChange } from "../../../../../accounts/money/balance-changes.js";
import { authoriseManager } from "../../../../../accounts/management-keys/permissions.js";
import { shape, shapes } from "../../../../../dialects/shape.js";
import type { HttpDeps } from "../../../../deps.js";
import { balanceChange } from "../../../../management/balance-change.js";
import { cents, centsUp } from "../../../../management/cents.js";
import type { ManagementCall } from "../../../../route.js";
import type { RouteDocs } from "../../../../route-docs.js";
import { timestamp } from "../../../../management/timestamp.js";

const balanceSchema = shape({
  changes: shapes(balanceChange).describe(
    "The newest first: up to 1000 of money, and the spending of each of the last 100 days (UTC).",
  ),
  total: cents.describe(
    "Of all changes; negative where credit is left. What is held for running requests is left.",
  ),
}).meta({ id: "PrepaidBalance" });

/** Tells the balance. */
export function tellBalance({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    const teamId = params["teamId"] ?? "";
    const { changes, totalTicks } = await accounts.billing.balance(teamId, actorOf(manager));
    const answer: z.infer<typeof balanceSchema> = {
      changes: changes.map((change) => present(teamId, change)),
      total: { val: centsUp(-totalTicks) },
    };
    ctx.body = answer;
  };
}

export const balanceDocs: RouteDocs = {
  operation: "getPrepaidBalance",
  tag: "Billing",
  summary: "Tell the credit of a team, and what came and went",
  description:
    "Amounts are cents, negative where they are credit. A fraction of a cent is rounded up, so that credit never looks " +
    "larger and spending never smaller than it is; `hearth usage` and `hearth credits show` have it exactly.",
  params: { teamId: "Id of a team that the management key is for." },
  answers: { 200: { description: "The balance.", schema: balanceSchema } },
};

const origins = { purchase: "PURCHASE", refund: "REFUND", adjust: "MANUAL", spend: "SPEND" } as const;

function present(teamId: string, { origin, ticks, time }: BalanceChange): z.infer<typeof balanceChange> {
  return {
    teamId,
    changeOrigin: origins[origin],
    ...(origin === "purchase" ? { topupStatus: "SUCCEEDED" as const } : {}),
    amount: { val: centsUp(-ticks) },
    createTime: timestamp(time),
  };
}
