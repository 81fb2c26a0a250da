/** POST /v1/billing/teams/{teamId}/prepaid/top-up: adds purchased credit to a team. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { balanceChange, type WireBalanceChange } from "./balance-change.js";
import { centsUp, usdOfCents } from "./cents.js";
import { parseFields, integer } from "../../../dialects/management/fields.js";
import { managementRoute } from "../../server/route.js";
import { timestamp } from "../../../dialects/management/answers.js";

/** The same with any sign. */
const signedCentsRequest = z.object({
  val: integer("Cents of a US dollar; the sign is disregarded."),
});

const requestSchema = z
  .object({ amount: signedCentsRequest })
  .meta({ id: "CreateTopUpRequest", description: "The credit to add." });

const topUpSchema = responseObject({ change: balanceChange }).meta({ id: "TopUp" });

/** Adds the credit. */
export const createTopUp = managementRoute({
  method: "POST",
  path: "/v1/billing/teams/:teamId/prepaid/top-up",
  acl: "BillingWrite",
  forAllTeams: true,
  docs: {
    operation: "topUpPrepaidCredit",
    tag: "Billing",
    summary: "Add credit to a team",
    description: "The credit is available when the request returns. Requires a management key for all teams.",
    params: { teamId: "Id of a team." },
    body: requestSchema,
    example: { amount: { val: "500" } },
    answers: { 200: { description: "The purchase.", schema: topUpSchema } },
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { amount } = parseFields(requestSchema, body);
    const teamId = params["teamId"] ?? "";
    // The hosted service disregards the sign.
    const purchase = { usd: usdOfCents(amount).replace("-", ""), note: null };
    const { ticks, time } = await accounts.credits.change("purchase", teamId, purchase, toActor(manager));
    const change: WireBalanceChange = {
      teamId,
      changeOrigin: "PURCHASE",
      topupStatus: "SUCCEEDED",
      amount: { val: centsUp(BigInt(-ticks)) },
      createTime: timestamp(time),
    };
    const answer: z.infer<typeof topUpSchema> = { change };
    ctx.body = answer;
  },
});
