/** GET and POST /v1/billing/teams/{teamId}/postpaid/spending-limits: a team's monthly spending limits. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { effectiveLimit } from "../../../accounts/money/spending.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { cents, centsDown, centsRequest, usdOfCents } from "./cents.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { managementRoute } from "../../server/route.js";

export const limitsSchema = responseObject({
  spendingLimits: responseObject({
    hardSlAuto: cents
      .optional()
      .describe("Limit set by the operator on all spending; absent if there is none."),
    effectiveHardSl: cents.optional().describe("The same as `hardSlAuto`."),
    softSl: cents
      .optional()
      .describe("Limit set by the team on use beyond prepaid credit; absent if there is none."),
    effectiveSl: cents
      .optional()
      .describe("Effective limit on use beyond prepaid credit: the smaller of the two."),
  }),
}).meta({ id: "SpendingLimits", description: "Fractions of a cent are rounded down." });

export type WireSpendingLimits = z.infer<typeof limitsSchema>;

const requestSchema = z
  .object({
    desiredSoftSpendingLimit: centsRequest
      .nullable()
      .optional()
      .describe("null removes the limit. Required without `desiredHardSpendingLimit`."),
    desiredHardSpendingLimit: centsRequest
      .nullable()
      .optional()
      .describe("An extension: the limit of the operator. It needs a management key for all teams."),
  })
  .meta({ id: "UpdateSpendingLimitRequest" });

const updatedSchema = responseObject({
  thisBpSoftSpendingLimit: cents.optional().describe("The soft limit now; absent if there is none."),
  thisBpHardSpendingLimit: cents
    .optional()
    .describe("The hard limit now; absent if there is none, or the request does not name it."),
}).meta({ id: "UpdatedSpendingLimit" });

function centsToUsd(limit: z.infer<typeof centsRequest> | null | undefined): string | null | undefined {
  return limit == null ? limit : usdOfCents(limit);
}

const params = { teamId: "Id of a team that the management key may manage." };

/** Returns the limits. */
export const getSpendingLimits = managementRoute({
  method: "GET",
  path: "/v1/billing/teams/:teamId/postpaid/spending-limits",
  acl: "BillingRead",
  docs: {
    operation: "getSpendingLimits",
    tag: "Billing",
    summary: "Get the monthly spending limits of a team",
    description:
      "Months are in UTC. A request of a prepaid team that would exceed the hard limit is rejected with 403; requests of unmetered " +
      "teams are never rejected.",
    params,
    answers: { 200: { description: "The limits.", schema: limitsSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const { limits } = await accounts.spending.find(params["teamId"] ?? "", toActor(manager));
    const [hard, soft] = [centsDown(limits.hardTicks), centsDown(limits.softTicks)];
    const effective = centsDown(effectiveLimit(limits));
    const answer: WireSpendingLimits = {
      spendingLimits: { hardSlAuto: hard, effectiveHardSl: hard, softSl: soft, effectiveSl: effective },
    };
    ctx.body = answer;
  },
});

/** Sets or removes the limits of the team and of the operator. */
export const updateSpendingLimit = managementRoute({
  method: "POST",
  path: "/v1/billing/teams/:teamId/postpaid/spending-limits",
  acl: "BillingWrite",
  docs: {
    operation: "setSpendingLimit",
    tag: "Billing",
    summary: "Set a team's own monthly spending limit",
    description:
      "It bounds use beyond prepaid credit, never the use of prepaid credit; 0 means that only prepaid credit is used. Prepaid teams " +
      "of this server always use prepaid credit only. The operator sets the hard limit, here or with `hearth credits limit`.",
    params,
    body: requestSchema,
    example: { desiredSoftSpendingLimit: { val: "5000" } },
    answers: { 200: { description: "The limit.", schema: updatedSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const request = parseFields(requestSchema, body);
    const soft = centsToUsd(request.desiredSoftSpendingLimit);
    const hard = centsToUsd(request.desiredHardSpendingLimit);
    if (soft === undefined && hard === undefined)
      throw invalidValue("desiredSoftSpendingLimit", "is required without desiredHardSpendingLimit");
    const change = { soft, hard };
    const limits = await accounts.spending.change(params["teamId"] ?? "", change, toActor(manager));
    const answer: z.infer<typeof updatedSchema> = {
      thisBpSoftSpendingLimit: centsDown(limits.softTicks),
      thisBpHardSpendingLimit: hard === undefined ? undefined : centsDown(limits.hardTicks),
    };
    ctx.body = answer;
  },
});
