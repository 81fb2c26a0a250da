/** GET and POST /v1/billing/teams/{teamId}/postpaid/spending-limits: what a team may spend in a month. */
import { z } from "zod";
import { actorOf } from "../../../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../../../accounts/management-keys/permissions.js";
import { effectiveLimit } from "../../../../../accounts/money/spending.js";
import { shape } from "../../../../../dialects/shape.js";
import type { HttpDeps } from "../../../../deps.js";
import { cents, centsWish, limitCents, usdOfCents } from "../../../../management/cents.js";
import { read, set } from "../../../../management/fields.js";
import type { ManagementCall } from "../../../../route.js";
import type { RouteDocs } from "../../../../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const limitsSchema = shape({
  spendingLimits: shape({
    hardSlAuto: cents.optional().describe("The operator's; not there where there is none."),
    effectiveHardSl: cents.optional().describe("The same."),
    softSl: cents.optional().describe("The team's own."),
    effectiveSl: cents.optional().describe("The one that holds: the smaller."),
  }),
}).meta({ id: "SpendingLimits", description: "A fraction of a cent is left out." });

const wishSchema = z
  .object({ desiredSoftSpendingLimit: centsWish.nullable().describe("null = none.") })
  .meta({ id: "SpendingLimitWish" });

const changedSchema = shape({
  thisBpSoftSpendingLimit: cents.optional().describe("From now on; not there where there is none."),
}).meta({ id: "ChangedSpendingLimit" });

/** Tells the limits. */
export function tellSpendingLimits({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    const { limits } = await accounts.spending.find(params["teamId"] ?? "", actorOf(manager));
    const [hard, soft] = [limitCents(limits.hardTicks), limitCents(limits.softTicks)];
    const effective = limitCents(effectiveLimit(limits));
    const answer: z.infer<typeof limitsSchema> = {
      spendingLimits: set({ hardSlAuto: hard, effectiveHardSl: hard, softSl: soft, effectiveSl: effective }),
    };
    ctx.body = answer;
  };
}

/** Sets the soft limit. */
export function setSpendingLimit({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const { desiredSoftSpendingLimit: wish } = read(wishSchema, body);
    authoriseManager(manager, route.endpointAcl);
    const soft = wish === null ? null : usdOfCents(wish);
    const limits = await accounts.spending.change(params["teamId"] ?? "", { soft }, actorOf(manager));
    const answer: z.infer<typeof changedSchema> = set({
      thisBpSoftSpendingLimit: limitCents(limits.softTicks),
    });
    ctx.body = answer;
  };
}

const params = { teamId: "Id of a team that the management key is for." };

export const spendingLimitsDocs: RouteDocs = {
  operation: "getSpendingLimits",
  tag: "Billing",
  summary: "Tell what a team may spend in a month",
  description:
    "A month is one of UTC. A prepaid team that would go beyond is refused with 403; an unmetered one never is.",
  params,
  answers: { 200: { description: "The limits.", schema: limitsSchema } },
};

export const setSpendingLimitDocs: RouteDocs = {
  operation: "setSpendingLimit",
  tag: "Billing",
  summary: "Set a team's own limit of what it may spend in a month",
  description: "The next request finds it so. The hard limit is the operator's: `hearth credits limit`.",
  params,
  body: wishSchema,
  example: { desiredSoftSpendingLimit: { val: "5000" } },
  answers: { 200: { description: "The limit.", schema: changedSchema } },
  errors: ["conflict"],
};
