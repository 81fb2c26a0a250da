/** POST /v1/billing/teams/{teamId}/prepaid/top-up: gives a team credit that it has bought. */
import { z } from "zod";
import { actorOf } from "../../../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../../../accounts/management-keys/permissions.js";
import { shape } from "../../../../../dialects/shape.js";
import type { HttpDeps } from "../../../../deps.js";
import { balanceChange } from "../../../../management/balance-change.js";
import { centsUp, centsWish, usdOfCents } from "../../../../management/cents.js";
import { read } from "../../../../management/fields.js";
import type { ManagementCall } from "../../../../route.js";
import type { RouteDocs } from "../../../../route-docs.js";
import { timestamp } from "../../../../management/timestamp.js";

const wishSchema = z
  .object({ amount: centsWish })
  .meta({ id: "TopUpWish", description: "Credit to be bought." });

const topUpSchema = shape({ change: balanceChange }).meta({ id: "TopUp" });

/** Makes the purchase. */
export function topUp({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params, route }) => {
    const { amount } = read(wishSchema, body);
    authoriseManager(manager, route.endpointAcl);
    const teamId = params["teamId"] ?? "";
    const bought = { usd: usdOfCents(amount), note: null };
    const { ticks, time } = await accounts.credits.change("purchase", teamId, bought, actorOf(manager));
    const change: z.infer<typeof balanceChange> = {
      ...{ teamId, changeOrigin: "PURCHASE", topupStatus: "SUCCEEDED" },
      ...{ amount: { val: centsUp(BigInt(-ticks)) }, createTime: timestamp(time) },
    };
    const answer: z.infer<typeof topUpSchema> = { change };
    ctx.body = answer;
  };
}

export const topUpDocs: RouteDocs = {
  operation: "topUpPrepaidCredit",
  tag: "Billing",
  summary: "Give a team credit",
  description:
    "The credit is there when this answers. A management key that is for one team may not: whoever runs the server does.",
  params: { teamId: "Id of a team." },
  body: wishSchema,
  example: { amount: { val: "500" } },
  answers: { 200: { description: "The purchase.", schema: topUpSchema } },
};
