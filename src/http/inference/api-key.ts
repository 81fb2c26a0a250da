import { z } from "zod";
import { budgetLeft, type BudgetStatus } from "../../accounts/budgets/budget.js";
import type { KeyOverview, KeySpan } from "../../accounts/budgets/guard.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import { ticksToUsd } from "../../core/money.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { apiKeyRoute } from "../server/route.js";
import { timeSchema, timestamp } from "../../dialects/management/answers.js";

const usd = (what: string) => z.string().nullable().describe(what);
const tokens = (what: string) => z.number().int().nullable().describe(what);

const keyBudget = responseObject({
  subject: z.enum(["key", "member", "team", "tag", "user"]).describe("What the budget is set on."),
  name: z.string().optional().describe("The tag or the end user that it is set on."),
  period: z.enum(["day", "week", "month", "total"]),
  start_time: timeSchema,
  reset_time: timeSchema.nullable().describe("When the next period starts; null: never."),
  hard_usd: usd("Limit that refuses requests; null: none."),
  soft_usd: usd("Limit that warns; null: none."),
  spent_usd: z.string(),
  reserved_usd: z.string().describe("The most that active requests can cost."),
  left_usd: usd("What a request may still cost; null: as much as it wants."),
  hard_tokens: tokens("Limit that refuses requests; null: none."),
  soft_tokens: tokens("Limit that warns; null: none."),
  spent_tokens: z.number().int(),
  reserved_tokens: z.number().int().describe("The most that active requests can use."),
  left_tokens: tokens("What a request may still use; null: as much as it wants."),
}).meta({ id: "KeyBudget", description: "A budget in its current period." });

const keySpending = responseObject({
  start_time: timeSchema,
  requests: z.number().int(),
  usd: z.string().describe("Exact, such as `0.0123`."),
  tokens: z.number().int(),
});

const apiKey = responseObject({
  redacted_api_key: z.string(),
  user_id: z.string().describe("The user who created the key."),
  name: z.string(),
  create_time: timeSchema,
  modify_time: timeSchema,
  modified_by: z.string(),
  team_id: z.string(),
  acls: responseArray(z.string()).describe(
    "Endpoints and models that the key may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all.",
  ),
  api_key_id: z.string(),
  team_blocked: z.boolean(),
  api_key_blocked: z.boolean(),
  api_key_disabled: z.boolean(),
  spent_today: keySpending.describe("An extension of Hearth: what the key has spent today (UTC)."),
  spent_this_month: keySpending.describe(
    "An extension of Hearth: what the key has spent in the current month (UTC).",
  ),
  spent_total: keySpending.describe("An extension of Hearth: what the key has spent since it was created."),
  budgets: responseArray(keyBudget).describe(
    "An extension of Hearth: the budgets that hold for the key, and for the tags of this request; all of them must cover a request.",
  ),
}).meta({ id: "ApiKey", description: "A key, without its secret." });

function presentKey(
  { key, team }: Principal,
  { day, month, total, budgets }: KeyOverview,
): z.infer<typeof apiKey> {
  return {
    redacted_api_key: key.redacted,
    user_id: key.userId,
    name: key.name,
    create_time: timestamp(key.createTime),
    modify_time: timestamp(key.modifyTime),
    modified_by: key.modifiedBy,
    team_id: key.teamId,
    acls: key.acls,
    api_key_id: key.id,
    team_blocked: team.blocked,
    api_key_blocked: key.blocked,
    api_key_disabled: key.disabled,
    spent_today: presentSpending(day),
    spent_this_month: presentSpending(month),
    spent_total: presentSpending(total),
    budgets: budgets.map(presentBudget),
  };
}

function presentSpending(spent: KeySpan): z.infer<typeof keySpending> {
  return {
    start_time: timestamp(spent.startTime),
    requests: spent.runs,
    usd: ticksToUsd(spent.spentTicks),
    tokens: spent.spentTokens,
  };
}

function presentBudget(status: BudgetStatus): z.infer<typeof keyBudget> {
  const { subject, subjectId, period, resetTime, hardTicks, softTicks, hardTokens, softTokens } = status;
  const usd = (ticks: bigint | number | null) => (ticks === null ? null : ticksToUsd(BigInt(ticks)));
  const left = budgetLeft(status);
  return {
    subject,
    name: subject === "tag" || subject === "user" ? subjectId : undefined,
    period,
    start_time: timestamp(status.startTime),
    reset_time: timestamp(resetTime) ?? null,
    hard_usd: usd(hardTicks),
    soft_usd: usd(softTicks),
    spent_usd: ticksToUsd(status.spentTicks),
    reserved_usd: ticksToUsd(status.reservedTicks),
    left_usd: usd(left.ticks),
    hard_tokens: hardTokens,
    soft_tokens: softTokens,
    spent_tokens: status.spentTokens,
    reserved_tokens: status.reservedTokens,
    left_tokens: left.tokens,
  };
}

/** GET /v1/api-key: returns the key of the request. Any valid key may call it. */
export const getApiKey = apiKeyRoute({
  method: "GET",
  path: "/v1/api-key",
  acl: null,
  docs: {
    operation: "getApiKey",
    tag: "Keys",
    summary: "Get the key of the request",
    answers: { 200: { description: "The key.", schema: apiKey } },
  },
  async handle({ ctx, principal }, { budgetGuard }) {
    ctx.body = presentKey(principal, await budgetGuard.overview(principal));
  },
});
