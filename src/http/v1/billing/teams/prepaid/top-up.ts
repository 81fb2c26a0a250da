/** POST /v1/billing/teams/{teamId}/prepaid/top-up: adds purchased credit to a team. */
import { z } from "zod";
import { actorOf } from "../../../../../accounts/visibility.js";
import { responseObject } from "../../../../../dialects/response-fields.js";
import type { HttpDeps } from "../../../../deps.js";
import { balanceChange } from "../../../../management/balance-change.js";
import { centsUp, signedCentsRequest, usdOfCents } from "../../../../management/cents.js";
import { parseFields } from "../../../../management/fields.js";
import type { ManagementCall } from "../../../../route.js";
import type { RouteDocs } from "../../../../route-docs.js";
import { timestamp } from "../../../../management/timestamp.js";

const requestSchema = z
  .object({ amount: signedCentsRequest })
  .meta({ id: "CreateTopUpRequest", description: "The credit to add." });

const topUpSchema = responseObject({ change: balanceChange }).meta({ id: "TopUp" });

/** Adds the credit. */
export function createTopUp({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params }) => {
    const { amount } = parseFields(requestSchema, body);
    const teamId = params["teamId"] ?? "";
    // The hosted service disregards the sign.
    const purchase = { usd: usdOfCents(amount).replace("-", ""), note: null };
    const { ticks, time } = await accounts.credits.change("purchase", teamId, purchase, actorOf(manager));
    const change: z.infer<typeof balanceChange> = {
      teamId,
      changeOrigin: "PURCHASE",
      topupStatus: "SUCCEEDED",
      amount: { val: centsUp(BigInt(-ticks)) },
      createTime: timestamp(time),
    };
    const answer: z.infer<typeof topUpSchema> = { change };
    ctx.body = answer;
  };
}

export const createTopUpDocs: RouteDocs = {
  operation: "topUpPrepaidCredit",
  tag: "Billing",
  summary: "Add credit to a team",
  description: "The credit is available when the request returns. Requires a management key for all teams.",
  params: { teamId: "Id of a team." },
  body: requestSchema,
  example: { amount: { val: "500" } },
  answers: { 200: { description: "The purchase.", schema: topUpSchema } },
};
